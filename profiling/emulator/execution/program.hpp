// SPDX-License-Identifier: Apache-2.0
// The running executable: its code, its shared variables, its debug information. Shared by all
// threads that run blocks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "profiling/emulator/include/warpgauge_emulator/runtime_api.h"
#include "profiling/emulator/memory/shared_variables.hpp"
#include "profiling/emulator/report/source_locator.hpp"

namespace warpgauge::emulator {

class Program {
 public:
  Program();

  [[nodiscard]] const SharedVariables& shared_variables() const { return shared_variables_; }

  // Where the executable's code begins; places in it are given relative to that.
  [[nodiscard]] std::uintptr_t text_begin() const { return text_begin_; }

  [[nodiscard]] SourceLocation locate(std::uint32_t pc);
  [[nodiscard]] std::string kernel_name(const warpgauge_emulator::KernelCall& call);

  // As nvcc's machine code names it too: its demangled symbol.
  [[nodiscard]] std::string kernel_symbol(const void* kernel);

 private:
  [[nodiscard]] SourceLocator& locator();

  SharedVariables shared_variables_;
  std::uintptr_t text_begin_;
  std::mutex mutex_;
  std::optional<SourceLocator> locator_;  // made when first needed
  std::map<std::uint32_t, SourceLocation> located_;
};

}  // namespace warpgauge::emulator
