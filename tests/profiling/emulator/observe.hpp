// SPDX-License-Identifier: Apache-2.0
// Short ways to run a kernel and to ask what was observed.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/emulator/emulator.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge::emulator {

using results::Access;
using results::SourceLine;

struct Sums {
  std::uint64_t requests = 0;
  std::uint64_t moved = 0;  // wavefronts or sectors
  std::uint64_t ideal = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

inline void PrintTo(const Sums& sums, std::ostream* out) {
  *out << "{requests " << sums.requests << ", moved " << sums.moved << ", ideal " << sums.ideal
       << "}";
}

inline Sums sum(const Observation& observation, Access access) {
  Sums sums;
  for (const SourceLine& line : observation.lines) {
    if (line.access != access) continue;
    sums.requests += line.requests;
    sums.moved += line.wavefronts + line.sectors;
    sums.ideal += line.ideal_wavefronts + line.ideal_sectors;
  }
  return sums;
}

template <class... Parameters, class... Arguments>
Observation run(void (*kernel)(Parameters...), dim3 grid, dim3 block, Arguments... arguments) {
  return observe([&] { launch(kernel, grid, block, arguments...); });
}

inline std::string join(const std::vector<std::string>& errors) {
  std::string text;
  for (const std::string& error : errors) text += error + "\n";
  return text;
}

}  // namespace warpgauge::emulator
