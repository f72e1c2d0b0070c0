// SPDX-License-Identifier: Apache-2.0
// What driver_count.cpp counts in a process, in a file of its own, to hold the injection library's
// records against.
#pragma once

#include <cstdint>

namespace warpgauge::launches {

inline constexpr const char* kDriverCountFolder = "WARPGAUGE_DRIVER_COUNT_FOLDER";
inline constexpr const char* kDriverCountSuffix = ".driver";

// Of calls that succeeded. What a stream captures is no launch.
struct DriverCount {
  std::uint64_t launches = 0;
  std::uint64_t graph_launches = 0;
  std::uint64_t graph_kernels = 0;   // of the graphs that were launched
  std::uint64_t unknown_graphs = 0;  // launches of graphs that nobody was seen to instantiate
};

}  // namespace warpgauge::launches
