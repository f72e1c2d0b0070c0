// SPDX-License-Identifier: Apache-2.0
// What a benchmark's id and figures say, and the ceilings that a run measured: the bandwidth that
// the family `bandwidth` reached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiling/results/results.hpp"

namespace warpgauge::results {

// The family that measures the ceilings.
inline constexpr std::string_view kCeilingFamily = "bandwidth";

struct IdParts {
  std::string_view family;
  std::string_view variant;
  std::string_view size;  // empty: the id, of a plain Google Benchmark file, has fewer parts
};

[[nodiscard]] IdParts parts_of(std::string_view id);

// Whether its figures are nanoseconds, as of each metric whose name ends with "_ns".
[[nodiscard]] bool is_time(std::string_view metric);

// What a figure of this metric is counted in: "ns" for times, else "".
[[nodiscard]] std::string unit_of(const std::string& metric);

// Nanoseconds; absent: not timed, or failed.
[[nodiscard]] std::optional<double> time_of(const BenchmarkResult& benchmark);

// From the first kernel's start to the last one's end, in nanoseconds; absent: it is one kernel.
[[nodiscard]] std::optional<double> span_of(const BenchmarkResult& benchmark);

// What rates and ratios come from: the span where there is one, because the gaps between kernels
// are time that their user waits, else the time.
[[nodiscard]] std::optional<double> duration_of(const BenchmarkResult& benchmark);

// Read and written.
[[nodiscard]] double bytes_of(const Work& work);

// Bytes a second; absent where nothing is moved or it was not timed.
[[nodiscard]] std::optional<double> bandwidth_of(const BenchmarkResult& benchmark);

// Those that the run recorded, or that its benchmarks show. One that was not timed is absent.
[[nodiscard]] Ceilings ceilings_of(const Results& results);

// What the benchmarks show, whatever the run recorded.
[[nodiscard]] Ceilings measured_ceilings(const Results& results);

}  // namespace warpgauge::results
