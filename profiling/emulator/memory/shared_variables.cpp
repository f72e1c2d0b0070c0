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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// A function or variable of the executable. Its name may be that of another one in another file.
struct Symbol {
  GElf_Sym entry;
  const char* name;
  std::size_t file;  // that it is local to; 0: to none
};

template <class Visit>
void for_each_symbol(Elf* elf, int type, Visit&& visit) {
  std::size_t files = 0;
  std::size_t file = 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym entry;
      if (gelf_getsym(data, static_cast<int>(i), &entry) == nullptr) continue;
      const char* name = elf_strptr(elf, header.sh_link, entry.st_name);
      if (GELF_ST_TYPE(entry.st_info) == STT_FILE) {
        // Its local symbols follow. Behind one without a name are those that the linker made local.
        file = *name == '\0' ? 0 : ++files;
      }
      if (GELF_ST_TYPE(entry.st_info) != type || entry.st_shndx == SHN_UNDEF) continue;
      visit(Symbol{entry, name, GELF_ST_BIND(entry.st_info) == STB_LOCAL ? file : 0});
    }
  }
}

// How the names of a function's own variables begin: "_Z6kernelPf" → "_ZZ6kernelPfE". (Itanium C++
// ABI, "Scope Encoding"; a function of C linkage is named there without its parameters.)
std::string own_variables_prefix(std::string_view function) {
  if (function.starts_with("_Z")) return "_ZZ" + std::string(function.substr(2)) + "E";
  return "_ZZ" + std::to_string(function.size()) + std::string(function) + "E";
}

// The variables that functions declare inside themselves. A function that alone has its name has
// all that are named after it, wherever the linker put the two. Of several, a local one has those
// of its file, and the other one, which the linker may have made local to no file, has the rest.
class OwnVariables {
 public:
  void add(const Symbol& variable, std::uintptr_t address) {
    variables_[variable.name].push_back({variable.file, variable.entry.st_size, address});
  }

  // All variables are added before the first function, all functions before the first question.
  void add_function(const Symbol& function) {
    std::string prefix = own_variables_prefix(function.name);
    const auto own = variables_.lower_bound(prefix);
    if (own == variables_.end() || !own->first.starts_with(prefix)) return;
    namesakes_[std::move(prefix)].push_back(function.file);
  }

  // visit(name within the function, bytes, address)
  template <class Visit>
  void for_each_of(const Symbol& function, Visit&& visit) const {
    const auto found = namesakes_.find(own_variables_prefix(function.name));
    if (found == namesakes_.end()) return;
    const auto& [prefix, files] = *found;
    for (auto own = variables_.lower_bound(prefix);
         own != variables_.end() && own->first.starts_with(prefix); ++own) {
      for (const Variable& variable : own->second) {
        if (!is_of(function, files, variable)) continue;
        visit(std::string_view(own->first).substr(prefix.size()), variable.bytes, variable.address);
      }
    }
  }

 private:
  struct Variable {
    std::size_t file;
    std::size_t bytes;
    std::uintptr_t address;
  };

  // files: of all functions of that name.
  static bool is_of(const Symbol& function, const std::vector<std::size_t>& files,
                    const Variable& variable) {
    if (files.size() == 1) return true;
    if (function.file != 0) return variable.file == function.file;
    return variable.file == 0 ||
           std::find(files.begin(), files.end(), variable.file) == files.end();
  }

  std::map<std::string, std::vector<Variable>> variables_;     // by mangled name
  std::map<std::string, std::vector<std::size_t>> namesakes_;  // files of functions, by prefix
};

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
  OwnVariables shared;
  for_each_symbol(executable.get(), STT_TLS, [&](const Symbol& symbol) {
    const GElf_Sym& entry = symbol.entry;
    if (symbol.name == kRuntimeMemory) {
      dynamic_offset_ = entry.st_value;
      found_runtime = true;
    } else if (entry.st_size > 0) {
      variables_.push_back({entry.st_value, entry.st_size, variable_name(symbol.name)});
      shared.add(symbol, entry.st_value);
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
  OwnVariables clusters;
  for_each_symbol(executable.get(), STT_OBJECT, [&](const Symbol& symbol) {
    const std::uintptr_t address = bias + symbol.entry.st_value;
    if (std::string_view(symbol.name).ends_with(kClusterVariable)) {
      clusters.add(symbol, address);
    } else if (GELF_ST_VISIBILITY(symbol.entry.st_other) == STV_INTERNAL) {  // see __constant__
      constants_.emplace_back(address, symbol.entry.st_size);
    }
  });
  for_each_symbol(executable.get(), STT_FUNC, [&](const Symbol& function) {
    shared.add_function(function);
    clusters.add_function(function);
  });
  for_each_symbol(executable.get(), STT_FUNC, [&](const Symbol& function) {
    const std::uintptr_t kernel = bias + function.entry.st_value;
    clusters.for_each_of(function, [&](std::string_view name, std::size_t, std::uintptr_t at) {
      if (name == kClusterVariable) clusters_[kernel] = reinterpret_cast<const unsigned*>(at);
    });
    shared.for_each_of(function, [&](std::string_view, std::size_t bytes, std::uintptr_t) {
      static_bytes_[kernel] += bytes;
    });
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
