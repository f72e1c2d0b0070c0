// SPDX-License-Identifier: Apache-2.0
// From the stream of kernel records to samples. Pure: records come in, no CUPTI here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

enum class KernelRole {
  benchmark,
  opening,  // the harness's own, before each sample: a flush, or what stands in for it
  pause,    // its own too: what follows, up to `resume`, is no sample
  resume,
};

// name: the kernel's, in any form, mangled or not.
[[nodiscard]] KernelRole role_of(std::string_view name);

// One kernel execution, in the device's time.
struct KernelRecord {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  KernelRole role = KernelRole::benchmark;
  std::size_t launch = 0;  // which kind, see ActivitySession
};

// One run of a benchmark: the kernels between one opening and the next.
struct KernelSample {
  double sum_ns = 0;   // durations of the kernels, added up
  double span_ns = 0;  // first start to last end, the gaps between kernels included
  std::size_t kernels = 0;

  friend bool operator==(const KernelSample&, const KernelSample&) = default;
};

// The records in order of their start, without pauses and what ran in them.
[[nodiscard]] std::vector<KernelRecord> without_pauses(std::vector<KernelRecord> records);

// For a benchmark that does not launch as many kernels every time.
[[nodiscard]] DeviceError unequal_runs(std::size_t kernels, std::size_t expected);

// Groups records without pauses, in any order, into `expected_samples` samples.
//
// Throws DeviceError when the records cannot be those of that many equal runs: another number of
// openings, kernels before the first or overlapping one, runs of different numbers of kernels, or a
// record without timestamps.
[[nodiscard]] std::vector<KernelSample> group_into_samples(std::vector<KernelRecord> records,
                                                           std::size_t expected_samples);

// What each run launched, sorted: in which order streams run is not the benchmark's. records: in
// order of their start, without pauses.
[[nodiscard]] std::vector<std::vector<std::size_t>> launches_of_runs(
    const std::vector<KernelRecord>& records);

}  // namespace warpgauge::cupti
