// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/roofs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace warpgauge::ci {
namespace {

// 32 banks, 4 bytes a cycle each: since compute capability 5.0.
constexpr double kSharedBytesACycle = 128;

// Results a cycle and multiprocessor of adding, multiplying or both, in 32-bit floats; table
// "Throughput of Native Arithmetic Instructions" of the guide.
constexpr std::array<std::pair<std::string_view, int>, 14> kFloatsACycle{{{"6.0", 64},
                                                                          {"6.1", 128},
                                                                          {"6.2", 128},
                                                                          {"7.0", 64},
                                                                          {"7.2", 64},
                                                                          {"7.5", 64},
                                                                          {"8.0", 64},
                                                                          {"8.6", 128},
                                                                          {"8.7", 128},
                                                                          {"8.9", 128},
                                                                          {"9.0", 128},
                                                                          {"10.0", 128},
                                                                          {"12.0", 128},
                                                                          {"12.1", 128}}};

std::optional<double> after_of(const BenchmarkVerdict& benchmark, std::string_view name) {
  const auto found =
      std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                   [&](const MetricVerdict& metric) { return metric.metric == name; });
  return found == benchmark.metrics.end() ? std::nullopt : found->after;
}

// Also where there is nothing to compare with, and so no metric: by what it moves, and how fast.
std::optional<double> seconds_of(const BenchmarkVerdict& benchmark) {
  if (const auto time = after_of(benchmark, "time")) return *time * 1e-9;
  if (!benchmark.achieved) return std::nullopt;
  return (benchmark.work.bytes_read + benchmark.work.bytes_written) /
         benchmark.achieved->bytes_per_second;
}

}  // namespace

Roofs roofs_of(const results::Session& session) {
  Roofs roofs;
  const int processors = session.device.multiprocessors;
  const auto clock = session.settings ? session.settings->sm_clock_mhz : std::nullopt;
  if (processors <= 0 || !clock || !(*clock > 0)) return roofs;
  const auto* const known = std::find_if(
      kFloatsACycle.begin(), kFloatsACycle.end(),
      [&](const auto& each) { return each.first == session.device.compute_capability; });
  if (known == kFloatsACycle.end()) return roofs;
  const double cycles = processors * *clock * 1e6;
  roofs.shared_memory = Roof{.per_second = kSharedBytesACycle * cycles,
                             .from = fmt::format("{} multiprocessors × {} B × {} MHz", processors,
                                                 kSharedBytesACycle, *clock)};
  roofs.arithmetic = Roof{.per_second = 2.0 * known->second * cycles,
                          .from = fmt::format("{} multiprocessors × {} × 2 × {} MHz", processors,
                                              known->second, *clock)};
  return roofs;
}

Reached reached(const BenchmarkVerdict& benchmark) {
  Reached reached;
  const auto seconds = seconds_of(benchmark);
  if (!seconds || !(*seconds > 0)) return reached;
  std::optional<double> wavefronts;
  for (const char* const name :
       {"shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"}) {
    if (const auto count = after_of(benchmark, name)) {
      wavefronts = wavefronts.value_or(0) + *count;
    }
  }
  if (wavefronts && *wavefronts > 0) {
    reached.shared_bytes_per_second = kSharedBytesACycle * *wavefronts / *seconds;
  }
  if (benchmark.work.operations > 0) {
    reached.operations_per_second = benchmark.work.operations / *seconds;
  }
  return reached;
}

}  // namespace warpgauge::ci
