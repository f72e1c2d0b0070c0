// SPDX-License-Identifier: Apache-2.0
// The report that a program without the harness prints about its kernels on the emulator.
#pragma once

#include <atomic>
#include <filesystem>
#include <span>
#include <string>

#include "profiling/emulator/emulator.hpp"

namespace warpgauge::emulator {

// One table per kernel: accesses by source line, with the line's text if the file is below
// `source_root`, and the number of errors, which were reported when they occurred.
[[nodiscard]] std::string report_text(std::span<const KernelObservation> kernels,
                                      const std::filesystem::path& source_root);

// The same as JSON: "The report as JSON" in docs/explain/emulator.md.
[[nodiscard]] std::string report_json(std::span<const KernelObservation> kernels);

// Created once, before main; observes all kernels from then on. When the program exits, writes the
// report to standard error, or to the file named by the environment variable WARPGAUGE_REPORT, as
// JSON if its name ends in .json. If
// kernels made errors, an exit status of 0 becomes 4. A signal that ends the program
// (termination.hpp) ends its launch, and the report says what was seen until then.
//
// WARPGAUGE_SEVERITY and WARPGAUGE_ON_ERROR: see options_of_environment().
class ReportAtExit {
 public:
  // source_root: must live as long as the program.
  explicit ReportAtExit(const char* source_root);
  ReportAtExit(const ReportAtExit&) = delete;
  ReportAtExit& operator=(const ReportAtExit&) = delete;

 private:
  static void report(int status, void* self);

  const char* source_root_;
  std::atomic<bool> told_{false};
};

}  // namespace warpgauge::emulator
