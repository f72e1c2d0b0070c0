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

class Program {
 public:
  Program();

  [[nodiscard]] const SharedVariables& shared_variables() const { return shared_variables_; }

  // Start of the executable's code; places in the code are relative to it.
  [[nodiscard]] std::uintptr_t text_begin() const { return text_begin_; }

  [[nodiscard]] SourceLocation locate(std::uint32_t pc);
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
