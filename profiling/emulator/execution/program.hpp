// SPDX-License-Identifier: Apache-2.0
// The running executable: its code, its shared variables, its debug information. Shared by all
// threads that run blocks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "profiling/emulator/include/warpgauge_emulator/host_api/runtime_api.h"
#include "profiling/emulator/memory/shared_variables.hpp"
#include "profiling/emulator/report/source_locator.hpp"

namespace warpgauge::emulator {

// Whether the machine code between calls a handler of undefined_results.cpp. Known of x86-64; false
// elsewhere.
[[nodiscard]] bool calls_operand_check(std::uintptr_t begin, std::uintptr_t end);

class Program {
 public:
  Program();

  [[nodiscard]] const SharedVariables& shared_variables() const { return shared_variables_; }

  // Start of the executable's code; places in the code are relative to it.
  [[nodiscard]] std::uintptr_t text_begin() const { return text_begin_; }

  [[nodiscard]] SourceLocation locate(std::uint32_t pc);
  [[nodiscard]] bool accesses_two_words(std::uint32_t pc);
  // Whether g++'s check of a conversion to an integer, or of a shift, lies between these places of
  // one source place.
  [[nodiscard]] bool checks_operand(std::uint32_t first_pc, std::uint32_t second_pc);
  [[nodiscard]] std::string kernel_name(const warpgauge_emulator::KernelCall& call);

  // The demangled symbol, as in nvcc's machine code.
  [[nodiscard]] std::string kernel_symbol(const void* kernel);

 private:
  [[nodiscard]] SourceLocator& locator();

  SharedVariables shared_variables_;
  std::uintptr_t text_begin_;
  std::mutex mutex_;
  std::optional<SourceLocator> locator_;  // created on first use
  std::map<std::uint32_t, SourceLocation> located_;
};

}  // namespace warpgauge::emulator
