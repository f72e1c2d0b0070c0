// SPDX-License-Identifier: Apache-2.0
// Turns the stream of kernel records into samples. Pure functions, no CUPTI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

enum class KernelRole {
  benchmark,
  opening,  // the harness's own kernel before each sample: a flush or its replacement
  pause,    // the harness's own, too: kernels between it and `resume` are not measured
  resume,
};

// name: the kernel's name, mangled or not.
[[nodiscard]] KernelRole role_of(std::string_view name);

// One kernel execution, on the device's clock.
struct KernelRecord {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  KernelRole role = KernelRole::benchmark;
  std::size_t launch = 0;  // index of the kind of launch, see ActivitySession
};

// One run of a benchmark: the kernels between one opening and the next.
struct KernelSample {
  double sum_ns = 0;   // durations of the kernels, added up
  double span_ns = 0;  // first start to last end, the gaps between kernels included
  std::size_t kernels = 0;

  friend bool operator==(const KernelSample&, const KernelSample&) = default;
};

// The records in order of their start, without pauses and the kernels within them.
[[nodiscard]] std::vector<KernelRecord> without_pauses(std::vector<KernelRecord> records);

// The error when a benchmark does not launch the same number of kernels every time.
[[nodiscard]] DeviceError unequal_runs(std::size_t kernels, std::size_t expected);

// Groups records without pauses, in any order, into `expected_samples` samples.
//
// Throws DeviceError when the records do not form that many equal runs: a different number of
// openings, kernels before the first opening or overlapping one, runs with different numbers of
// kernels, or a record without timestamps.
[[nodiscard]] std::vector<KernelSample> group_into_samples(std::vector<KernelRecord> records,
                                                           std::size_t expected_samples);

// The launches of each run, sorted, because the benchmark does not control the order of streams.
// records: in order of their start, without pauses.
[[nodiscard]] std::vector<std::vector<std::size_t>> launches_of_runs(
    const std::vector<KernelRecord>& records);

}  // namespace warpgauge::cupti
