// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/program_hooks/import_hooks.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "profiling/cupti/inject/program_hooks/loaded_libraries.hpp"

namespace warpgauge::inject {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kJumpSlot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kGlobalData = R_X86_64_GLOB_DAT;
#endif

struct Wanted {
  const ImportHook* hooks;
  int count;
};

// What the dynamic section of a library says of its imports.
struct Imports {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const Elf64_Rela* calls = nullptr;
  std::size_t calls_bytes = 0;
  const Elf64_Rela* data = nullptr;
  std::size_t data_bytes = 0;
};

Imports imports_of(const link_map& library) {
  Imports imports;
  const Elf64_Dyn* dynamic = library.l_ld;
  // The loader has put addresses for offsets, but not in what the kernel maps.
  const auto address = [&](const Elf64_Dyn& entry) {
    const std::uintptr_t value = entry.d_un.d_ptr;
    return value < library.l_addr ? value + library.l_addr : value;
  };
  bool with_addends = true;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        imports.symbols = reinterpret_cast<const Elf64_Sym*>(address(*dynamic));
        break;
      case DT_STRTAB:
        imports.names = reinterpret_cast<const char*>(address(*dynamic));
        break;
      case DT_JMPREL:
        imports.calls = reinterpret_cast<const Elf64_Rela*>(address(*dynamic));
        break;
      case DT_PLTRELSZ:
        imports.calls_bytes = dynamic->d_un.d_val;
        break;
      case DT_PLTREL:
        with_addends = dynamic->d_un.d_val == DT_RELA;
        break;
      case DT_RELA:
        imports.data = reinterpret_cast<const Elf64_Rela*>(address(*dynamic));
        break;
      case DT_RELASZ:
        imports.data_bytes = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (!with_addends) imports.calls = nullptr;
  return imports;
}

void put(std::uintptr_t place, void* function) {
  auto* const slot = reinterpret_cast<void**>(place);
  if (*slot == function) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const first = reinterpret_cast<void*>(place & ~(page - 1));
  // Most are read-only once the library is loaded. Left writable: whether this one was is not
  // known here, and another thread may need it so.
  if (::mprotect(first, page, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
}

void hook_all(const link_map& library, const Imports& imports, const Elf64_Rela* relocations,
              std::size_t bytes, const Wanted& wanted) {
  if (relocations == nullptr) return;
  for (std::size_t i = 0; i < bytes / sizeof *relocations; ++i) {
    const std::uint64_t info = relocations[i].r_info;
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(info));
    if (type != kJumpSlot && type != kGlobalData) continue;
    const char* const name = imports.names + imports.symbols[ELF64_R_SYM(info)].st_name;
    for (int hook = 0; hook < wanted.count; ++hook) {
      if (std::strcmp(name, wanted.hooks[hook].symbol) != 0) continue;
      put(library.l_addr + relocations[i].r_offset, wanted.hooks[hook].function);
    }
  }
}

bool is_left_alone(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const char* each : {"libc.so", "ld-linux", "libcuda.so", "libcupti.so", "linux-vdso",
                           "libpthread.so", "libdl.so"}) {
    if (name.starts_with(each)) return true;
  }
  return false;
}

// Libraries that were looked at, by name and address. Never destroyed: threads go on while a
// program ends.
auto& looked_at = *new std::set<std::pair<std::string, std::uintptr_t>>;
std::mutex looking;
unsigned long long looked_after = 0;  // so many libraries had been loaded, ever

bool none(const link_map& /*library*/, void* /*user*/) { return false; }

bool look_for_imports(const link_map& library, void* user) {
  const auto& wanted = *static_cast<const Wanted*>(user);
  const std::string path = library.l_name == nullptr ? "" : library.l_name;
  if (library.l_ld == nullptr || library.l_ld == _DYNAMIC || is_left_alone(path)) return true;
  if (!looked_at.emplace(path, library.l_addr).second) return true;
  const Imports imports = imports_of(library);
  if (imports.symbols == nullptr || imports.names == nullptr) return true;
  hook_all(library, imports, imports.calls, imports.calls_bytes, wanted);
  hook_all(library, imports, imports.data, imports.data_bytes, wanted);
  return true;
}

}  // namespace

void hook_imports(const ImportHook* hooks, int count) {
  const std::lock_guard lock(looking);
  if (each_library(none, nullptr) == looked_after) return;
  Wanted wanted{hooks, count};
  looked_after = each_library(look_for_imports, &wanted);
}

void lock_imports() { looking.lock(); }
void unlock_imports() { looking.unlock(); }

}  // namespace warpgauge::inject
