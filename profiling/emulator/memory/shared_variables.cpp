// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/shared_variables.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace warpgauge::emulator {
namespace {

constexpr std::string_view kRuntimeMemory = "warpgauge_emulator_thread_memory";
// The mangled name, within its kernel, of what compile/cluster_dims.hpp adds to it.
constexpr std::string_view kClusterVariable = "22warpgauge_cluster_dims";

class ExecutableElf {
 public:
  ExecutableElf() : file_(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    elf_ = elf_begin(file_, ELF_C_READ, nullptr);
    if (elf_ == nullptr) throw std::runtime_error("cannot read the running executable's ELF file");
  }
  ExecutableElf(const ExecutableElf&) = delete;
  ExecutableElf& operator=(const ExecutableElf&) = delete;
  ~ExecutableElf() {
    elf_end(elf_);
    close(file_);
  }

  [[nodiscard]] Elf* get() const { return elf_; }

 private:
  int file_;
  Elf* elf_;
};

// "_ZZ6kernelPfE4tile" → "tile".
std::string variable_name(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  const std::string name = status == 0 ? demangled.get() : symbol;
  const auto colons = name.rfind("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

std::size_t tls_segment_bytes(Elf* elf) {
  std::size_t count = 0;
  elf_getphdrnum(elf, &count);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_TLS) {
      return header.p_memsz;
    }
  }
  return 0;
}

template <class Visit>
void for_each_symbol(Elf* elf, int type, Visit&& visit) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) continue;
      if (GELF_ST_TYPE(symbol.st_info) != type || symbol.st_shndx == SHN_UNDEF) continue;
      visit(symbol, elf_strptr(elf, header.sh_link, symbol.st_name));
    }
  }
}

// How the names of a function's own variables begin: "_Z6kernelPf" → "_ZZ6kernelPfE". (Itanium C++
// ABI, "Scope Encoding"; a function of C linkage is named there without its parameters.)
std::string own_variables_prefix(std::string_view function) {
  if (function.starts_with("_Z")) return "_ZZ" + std::string(function.substr(2)) + "E";
  return "_ZZ" + std::to_string(function.size()) + std::string(function) + "E";
}

// Where the executable lies, against the addresses in its file. It comes first.
int find_load_bias(dl_phdr_info* object, std::size_t, void* data) {
  *static_cast<std::uintptr_t*>(data) = object->dlpi_addr;
  return 1;
}

}  // namespace

SharedVariables::SharedVariables() {
  const ExecutableElf executable;
  segment_bytes_ = tls_segment_bytes(executable.get());
  bool found_runtime = false;
  std::map<std::string, std::size_t> bytes_by_symbol;
  for_each_symbol(executable.get(), STT_TLS, [&](const GElf_Sym& symbol, const char* name) {
    if (name == kRuntimeMemory) {
      dynamic_offset_ = symbol.st_value;
      found_runtime = true;
    } else if (symbol.st_size > 0) {
      variables_.push_back({symbol.st_value, symbol.st_size, variable_name(name)});
      bytes_by_symbol[name] += symbol.st_size;
    }
  });
  if (!found_runtime) {
    throw std::runtime_error(
        "the executable has no symbol table, in which the emulator looks up shared memory; do not "
        "strip it");
  }
  // Names that the link mapped onto dynamic shared memory; its extent is known at launch.
  std::erase_if(variables_, [&](const SharedVariable& v) { return v.offset == dynamic_offset_; });
  variables_.push_back({dynamic_offset_, 0, "dynamic shared memory"});
  std::sort(variables_.begin(), variables_.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });

  std::uintptr_t bias = 0;
  dl_iterate_phdr(&find_load_bias, &bias);
  std::map<std::string, std::uintptr_t> cluster_by_symbol;  // without the variable's own name
  const auto add_constant = [&](const GElf_Sym& symbol, const char* name) {
    if (std::string_view(name).ends_with(kClusterVariable)) {
      std::string prefix = name;
      prefix.resize(prefix.size() - kClusterVariable.size());
      cluster_by_symbol[std::move(prefix)] = bias + symbol.st_value;
      return;
    }
    if (GELF_ST_VISIBILITY(symbol.st_other) != STV_INTERNAL) return;  // see __constant__
    constants_.emplace_back(bias + symbol.st_value, symbol.st_size);
  };
  for_each_symbol(executable.get(), STT_OBJECT, add_constant);
  for_each_symbol(executable.get(), STT_FUNC, [&](const GElf_Sym& symbol, const char* name) {
    const std::string prefix = own_variables_prefix(name);
    if (const auto cluster = cluster_by_symbol.find(prefix); cluster != cluster_by_symbol.end()) {
      clusters_[bias + symbol.st_value] = reinterpret_cast<const unsigned*>(cluster->second);
    }
    std::size_t bytes = 0;
    for (auto own = bytes_by_symbol.lower_bound(prefix);
         own != bytes_by_symbol.end() && own->first.starts_with(prefix); ++own) {
      bytes += own->second;
    }
    if (bytes > 0) static_bytes_[bias + symbol.st_value] = bytes;
  });
}

std::size_t SharedVariables::static_bytes(const void* kernel) const {
  const auto found = static_bytes_.find(reinterpret_cast<std::uintptr_t>(kernel));
  return found == static_bytes_.end() ? 0 : found->second;
}

const unsigned* SharedVariables::cluster(const void* kernel) const {
  const auto found = clusters_.find(reinterpret_cast<std::uintptr_t>(kernel));
  return found == clusters_.end() ? nullptr : found->second;
}

const SharedVariable* SharedVariables::before(std::size_t offset) const {
  const auto next = std::upper_bound(
      variables_.begin(), variables_.end(), offset,
      [](std::size_t value, const SharedVariable& variable) { return value < variable.offset; });
  return next == variables_.begin() ? nullptr : &*(next - 1);
}

const SharedVariable* SharedVariables::find(std::size_t offset, std::size_t bytes,
                                            std::size_t dynamic_bytes) const {
  const SharedVariable* variable = before(offset);
  if (variable == nullptr) return nullptr;
  const std::size_t extent = variable->offset == dynamic_offset_ ? dynamic_bytes : variable->bytes;
  return offset + bytes <= variable->offset + extent ? variable : nullptr;
}

}  // namespace warpgauge::emulator
