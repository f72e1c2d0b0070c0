// SPDX-License-Identifier: Apache-2.0
// What one launch of a benchmark costs the host beside its kernels, as metrics of the benchmark.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::results {

inline constexpr const char* kPeakMemoryMetric = "peak_memory_bytes";

struct HostCalls {
  std::uint64_t copies = 0;
  std::uint64_t memory_sets = 0;
  std::uint64_t allocations = 0;  // of memory of any kind
  std::uint64_t frees = 0;
  std::uint64_t synchronizations = 0;  // that a host waits in, but for copies
  // The most device memory that the launch had allocated at once; absent: in a way whose size is
  // not known.
  std::optional<std::uint64_t> most_bytes = 0;

  // By a function of CUDA's driver or runtime, as "cuMemcpyHtoD_v2" or "cudaMemcpyAsync".
  void count(std::string_view function);

  friend bool operator==(const HostCalls&, const HostCalls&) = default;
};

// Under the names "copies", "memory_sets", "allocations", "frees", "synchronizations" and, where it
// is known, "peak_memory_bytes": together with what the fixture holds.
[[nodiscard]] std::map<std::string, double> host_metrics(const HostCalls& calls,
                                                         std::uint64_t fixture_bytes);
[[nodiscard]] bool is_host_metric(std::string_view metric);

}  // namespace warpgauge::results
