// SPDX-License-Identifier: Apache-2.0
// What a benchmark achieves of what the device can do.
//
// The ceiling of a benchmark is what the family `bandwidth` reached at its largest size in the same
// run: reading for one that writes less than 1 % of what it reads, writing for the reverse, else
// copying.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// The family that measures the ceilings.
inline constexpr std::string_view kCeilingFamily = "bandwidth";

struct IdParts {
  std::string_view family;
  std::string_view variant;
  std::string_view size;  // empty: the id, of a plain Google Benchmark file, has fewer parts
};

[[nodiscard]] IdParts parts_of(std::string_view id);

// Mean over processes; absent: not measured.
[[nodiscard]] std::optional<double> figure(const results::BenchmarkResult& benchmark,
                                           const std::string& metric);

// Nanoseconds; absent: not timed, or failed.
[[nodiscard]] std::optional<double> time_of(const results::BenchmarkResult& benchmark);

// From the first kernel's start to the last one's end, in nanoseconds; absent: it is one kernel.
[[nodiscard]] std::optional<double> span_of(const results::BenchmarkResult& benchmark);

// What rates and ratios come from: the span where there is one, because the gaps between kernels
// are time that their user waits, else the time.
[[nodiscard]] std::optional<double> duration_of(const results::BenchmarkResult& benchmark);

// Bytes a second; absent where nothing is moved or it was not timed.
[[nodiscard]] std::optional<double> bandwidth_of(const results::BenchmarkResult& benchmark);

// Above 8 operations a byte, which is far above what memory can feed: time then says nothing about
// bandwidth.
[[nodiscard]] bool compute_bound(const results::Work& work);

// Those that the run recorded, or that its benchmarks show. One that was not timed is absent.
[[nodiscard]] results::Ceilings ceilings_of(const results::Results& results);

// What the benchmarks show, whatever the run recorded.
[[nodiscard]] results::Ceilings measured_ceilings(const results::Results& results);

struct CeilingShare {
  std::string ceiling;          // which: "read", "write" or "copy"
  std::optional<double> share;  // 1: all of it
  std::string not_measured;     // why there is no share
  bool fits_into_l2 = false;    // that is why
};

// l2_bytes: of the device; 0: not known. A benchmark that fits into the L2 has no share: what it
// writes need not have reached the memory when it ends, and how long it takes is latency.
[[nodiscard]] CeilingShare share_of_ceiling(const results::BenchmarkResult& benchmark,
                                            const results::Ceilings& ceilings,
                                            std::uint64_t l2_bytes);

// The same as a verdict keeps it, for reports.
struct Achieved {
  double bytes_per_second = 0;
  std::string ceiling;           // as of CeilingShare; empty where there is no share
  std::optional<double> share;   // 1: all of it
  std::string no_share_because;  // empty where there is one
};

// Absent where nothing is moved or it was not timed.
[[nodiscard]] std::optional<Achieved> achieved(const results::BenchmarkResult& benchmark,
                                               const results::Ceilings& ceilings,
                                               std::uint64_t l2_bytes);

}  // namespace warpgauge::ci
