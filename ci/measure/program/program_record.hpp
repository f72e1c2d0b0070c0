// SPDX-License-Identifier: Apache-2.0
// What one start of a program says of a kernel, a range or the whole of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/results/merge.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

[[nodiscard]] results::Record record_of(const std::string& id);

// Of each launch.
void time_kernel(const std::vector<double>& samples_ns, results::Record& record);

// Of each time that the range is entered, what waits for others or for the host left out.
void time_range(const std::vector<double>& samples_ns, results::Record& record);

// With what other readers of Google Benchmark's JSON show.
[[nodiscard]] results::Observation observed(std::size_t start, results::Record record,
                                            std::uint64_t launches);

}  // namespace warpgauge::ci
