// SPDX-License-Identifier: Apache-2.0
// What a benchmark achieves of what the device can do.
//
// The ceiling of a benchmark is what the family `bandwidth` reached in the same run, at its largest
// size: reading for one that writes less than 1 % of what it reads, writing for the
// reverse, else the sum of copying, triad, reading and writing that moves as many bytes each way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/results/ceilings.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Above 8 operations a byte, which is far above what memory can feed: time then says nothing about
// bandwidth.
[[nodiscard]] bool compute_bound(const results::Work& work);

struct CeilingShare {
  std::string ceiling;          // which: "read", "write", or "copy", also for such a sum
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
