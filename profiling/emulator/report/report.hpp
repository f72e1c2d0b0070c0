// SPDX-License-Identifier: Apache-2.0
// What a program's kernels did, for people: what a program on the emulator prints that has no
// harness around it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "profiling/emulator/emulator.hpp"

namespace warpgauge::emulator {

// A table a kernel: accesses by source line, with the line's text where it is found below
// `source_root`; and how many errors it made, which were told when they occurred.
[[nodiscard]] std::string report_text(std::span<const KernelObservation> kernels,
                                      const std::filesystem::path& source_root);

// Made once, before main: keeps what all kernels do from then on. When the program exits, the
// report goes to standard error, or to the file that the environment variable WARPGAUGE_REPORT
// names. A program whose kernels made errors and which would have ended with 0 ends with 4.
class ReportAtExit {
 public:
  // source_root: must live as long as the program.
  explicit ReportAtExit(const char* source_root);
  ReportAtExit(const ReportAtExit&) = delete;
  ReportAtExit& operator=(const ReportAtExit&) = delete;

 private:
  static void report(int status, void* self);

  const char* source_root_;
};

}  // namespace warpgauge::emulator
