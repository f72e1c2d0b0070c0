// SPDX-License-Identifier: Apache-2.0
// From the stream of kernel records to samples. Pure: records come in, no CUPTI here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiling/backend.hpp"

namespace warpgauge::cupti {

// One kernel execution, in the device's time.
struct KernelRecord {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  bool flushes_cache = false;  // the harness's own kernel, which opens a sample
};

// One run of a benchmark: the kernels between one cache flush and the next.
struct KernelSample {
  double sum_ns = 0;   // durations of the kernels, added up
  double span_ns = 0;  // first start to last end, the gaps between kernels included
  std::size_t kernels = 0;

  friend bool operator==(const KernelSample&, const KernelSample&) = default;
};

// For a benchmark that does not launch as many kernels every time.
[[nodiscard]] DeviceError unequal_runs(std::size_t kernels, std::size_t expected);

// Groups records, in any order, into `expected_samples` samples.
//
// Throws DeviceError when the records cannot be those of that many equal runs: another number of
// flushes, kernels before the first flush or overlapping one, runs of different numbers of kernels,
// or a record without timestamps.
[[nodiscard]] std::vector<KernelSample> group_into_samples(std::vector<KernelRecord> records,
                                                           std::size_t expected_samples);

}  // namespace warpgauge::cupti
