// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/source_locator.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>

#include "profiling/emulator/report/wide_structs.hpp"

namespace warpgauge::emulator {
namespace {

// Part of the path of every header that kernels include of the emulator.
constexpr const char* kOwnHeaders = "/warpgauge_emulator/";

bool is_own_header(const std::string& file) { return file.find(kOwnHeaders) != file.npos; }

std::string demangle(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? demangled.get() : symbol;
}

std::optional<int> number(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &found), &value) != 0) return {};
  return static_cast<int>(value);
}

// A name in the debug information without the folder of compilation, which libdw puts before
// names that -ffile-prefix-map has made relative to the source root.
std::string without_compilation_folder(Dwarf_Die* unit, const char* name) {
  if (name == nullptr) return {};
  std::string path = std::filesystem::path(name).lexically_normal().string();
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  if (folder == nullptr || *folder == '/') return path;
  const std::string prefix = std::filesystem::path(folder).lexically_normal().string() + "/";
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

struct FreeDelete {
  void operator()(void* memory) const { std::free(memory); }
};
using Scopes = std::unique_ptr<Dwarf_Die[], FreeDelete>;

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

}  // namespace

class SourceLocator::Debug {
 public:
  Debug() : dwfl_(dwfl_begin(&kCallbacks)) {
    if (dwfl_ == nullptr || dwfl_linux_proc_report(dwfl_, getpid()) != 0 ||
        dwfl_report_end(dwfl_, nullptr, nullptr) != 0) {
      const std::string reason = dwfl_errmsg(-1);
      dwfl_end(dwfl_);
      throw std::runtime_error("cannot read the running program's debug information: " + reason);
    }
  }
  Debug(const Debug&) = delete;
  Debug& operator=(const Debug&) = delete;
  ~Debug() { dwfl_end(dwfl_); }

  [[nodiscard]] Dwfl_Module* module(std::uintptr_t address) const {
    return dwfl_addrmodule(dwfl_, address);
  }

 private:
  static constexpr Dwfl_Callbacks kCallbacks{dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo,
                                             nullptr, nullptr};
  Dwfl* dwfl_;
};

namespace {

// The scopes around an address, innermost first, through inlined calls up to the function.
std::pair<Scopes, int> scopes_around(Dwarf_Die* unit, Dwarf_Addr address) {
  Dwarf_Die* lexical = nullptr;
  const int lexical_count = dwarf_getscopes(unit, address, &lexical);
  const Scopes lexical_owner(lexical);
  if (lexical_count <= 0) return {nullptr, 0};
  Dwarf_Die* inlined = nullptr;
  const int count = dwarf_getscopes_die(lexical, &inlined);
  return {Scopes(inlined), count > 0 ? count : 0};
}

// The place of an inlined call.
void move_to_call(Dwarf_Die* unit, Dwarf_Die* call, SourceLocation& location) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto file = number(call, DW_AT_call_file);
  if (file && dwarf_getsrcfiles(unit, &files, &count) == 0) {
    location.file = without_compilation_folder(
        unit, dwarf_filesrc(files, static_cast<std::size_t>(*file), nullptr, nullptr));
  }
  location.line = number(call, DW_AT_call_line).value_or(0);
  location.column = number(call, DW_AT_call_column).value_or(0);
}

}  // namespace

SourceLocator::SourceLocator() : debug_(std::make_unique<Debug>()) {}
SourceLocator::~SourceLocator() = default;

SourceLocation SourceLocator::locate(std::uintptr_t return_address) const {
  SourceLocation location;
  const Dwarf_Addr address = return_address - 1;  // within the call
  Dwfl_Module* module = debug_->module(address);
  if (module == nullptr) return location;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return location;
  if (Dwfl_Line* line = dwfl_module_getsrc(module, address)) {
    const char* name =
        dwfl_lineinfo(line, nullptr, &location.line, &location.column, nullptr, nullptr);
    location.file = without_compilation_folder(unit, name);
  }
  const auto [scopes, count] = scopes_around(unit, address - bias);
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* scope = &scopes[static_cast<std::size_t>(i)];
    if (!is_function(scope)) continue;
    const bool inlined = dwarf_tag(scope) == DW_TAG_inlined_subroutine;
    if (inlined && is_own_header(location.file)) {
      move_to_call(unit, scope, location);
      continue;
    }
    const char* name = dwarf_diename(scope);
    location.function = name == nullptr ? "" : name;
    break;
  }
  return location;
}

bool SourceLocator::accesses_two_words(std::uintptr_t return_address) const {
  const Dwarf_Addr address = return_address - 1;
  Dwfl_Module* module = debug_->module(address);
  if (module == nullptr) return false;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return false;
  const auto [scopes, count] = scopes_around(unit, address - bias);
  bool of_words = false;
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* scope = &scopes[static_cast<std::size_t>(i)];
    const WideStructs structs = wide_structs_of(scope);
    if (structs.vectors) return false;
    of_words |= structs.of_words;
    if (dwarf_tag(scope) == DW_TAG_subprogram) break;
  }
  return of_words;
}

std::string SourceLocator::symbol_at(std::uintptr_t address) const {
  Dwfl_Module* module = debug_->module(address);
  const char* symbol = module == nullptr ? nullptr : dwfl_module_addrname(module, address);
  return symbol == nullptr ? "an unknown kernel" : demangle(symbol);
}

std::string SourceLocator::function_at(std::uintptr_t address) const {
  Dwfl_Module* module = debug_->module(address);
  if (module == nullptr) return "an unknown kernel";
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, &bias)) {
    const auto [scopes, count] = scopes_around(unit, address - bias);
    for (int i = 0; i < count; ++i) {
      Dwarf_Die* scope = &scopes[static_cast<std::size_t>(i)];
      if (dwarf_tag(scope) != DW_TAG_subprogram) continue;
      if (const char* name = dwarf_diename(scope)) return name;
    }
  }
  return symbol_at(address);
}

std::string to_string(const SourceLocation& location) {
  if (location.file.empty()) return "an unknown place (no debug information)";
  if (location.column == 0) return fmt::format("{}:{}", location.file, location.line);
  return fmt::format("{}:{}:{}", location.file, location.line, location.column);
}

}  // namespace warpgauge::emulator
