// SPDX-License-Identifier: Apache-2.0
// A program that is recorded by the injection library, while driver_count.cpp counts what it asks
// of the driver.
#pragma once

#include <cstdint>
#include <string>

#include "tests/profiling/cupti/inject/driver_count.hpp"

namespace warpgauge::launches {

// Of all its processes.
struct CountedProgram {
  int status = 0;
  std::string output;
  DriverCount driver;
  std::uint64_t recorded = 0;  // kernels, those of graphs among them

  // 1: each launch is recorded; more than 1: something is recorded that nobody launched.
  [[nodiscard]] double share_recorded() const;
};

// command: as a shell takes it.
[[nodiscard]] CountedProgram count_program(const std::string& command);

}  // namespace warpgauge::launches
