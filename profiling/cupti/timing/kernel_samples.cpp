// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/kernel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace warpgauge::cupti {
namespace {

// The opening and the benchmark's kernels must not overlap, or both durations are wrong.
void require_order(const KernelRecord& record, std::uint64_t earlier_end_ns) {
  if (record.start_ns >= earlier_end_ns) return;
  throw DeviceError(
      "a kernel ran beside the one that opens each sample: launch on the default stream, or on "
      "streams that wait for it (not cudaStreamNonBlocking)");
}

void require_timestamps(const KernelRecord& record) {
  if (record.start_ns != 0 && record.end_ns >= record.start_ns) return;
  throw DeviceError(
      "CUPTI delivered a kernel record without timestamps, which it does when device memory is "
      "short: free device memory or use a smaller size");
}

void add(KernelSample& sample, const KernelRecord& record, std::uint64_t& first_start_ns,
         std::uint64_t& last_end_ns) {
  if (sample.kernels == 0) first_start_ns = record.start_ns;
  last_end_ns = std::max(sample.kernels == 0 ? 0 : last_end_ns, record.end_ns);
  sample.sum_ns += static_cast<double>(record.end_ns - record.start_ns);
  sample.span_ns = static_cast<double>(last_end_ns - first_start_ns);
  ++sample.kernels;
}

void sort_by_start(std::vector<KernelRecord>& records) {
  std::for_each(records.begin(), records.end(), require_timestamps);
  std::stable_sort(
      records.begin(), records.end(),
      [](const KernelRecord& a, const KernelRecord& b) { return a.start_ns < b.start_ns; });
}

void require_equal_runs(std::span<const KernelSample> samples) {
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (samples[i].kernels == samples[0].kernels) continue;
    throw unequal_runs(samples[i].kernels, samples[0].kernels);
  }
}

}  // namespace

KernelRole role_of(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("warpgauge_flush_l2") || has("warpgauge_hold_back")) return KernelRole::opening;
  if (has("warpgauge_pause")) return KernelRole::pause;
  return has("warpgauge_resume") ? KernelRole::resume : KernelRole::benchmark;
}

DeviceError unequal_runs(std::size_t kernels, std::size_t expected) {
  return DeviceError(fmt::format(
      "a run has {} kernels, the first had {}: a benchmark must launch the same kernels every time",
      kernels, expected));
}

std::vector<KernelRecord> without_pauses(std::vector<KernelRecord> records) {
  sort_by_start(records);
  bool paused = false;
  std::erase_if(records, [&](const KernelRecord& record) {
    if (record.role == KernelRole::pause) paused = true;
    const bool leave_out = paused || record.role == KernelRole::resume;
    if (record.role == KernelRole::resume) paused = false;
    return leave_out;
  });
  return records;
}

std::vector<std::vector<std::size_t>> launches_of_runs(const std::vector<KernelRecord>& records) {
  std::vector<std::vector<std::size_t>> runs;
  for (const KernelRecord& record : records) {
    if (record.role == KernelRole::opening) runs.emplace_back();
    if (record.role == KernelRole::benchmark && !runs.empty()) runs.back().push_back(record.launch);
  }
  for (std::vector<std::size_t>& run : runs) std::sort(run.begin(), run.end());
  return runs;
}

std::vector<KernelSample> group_into_samples(std::vector<KernelRecord> records,
                                             std::size_t expected_samples) {
  sort_by_start(records);

  std::vector<KernelSample> samples;
  std::uint64_t opening_end_ns = 0;
  std::uint64_t first_start_ns = 0;
  std::uint64_t last_end_ns = 0;
  for (const KernelRecord& record : records) {
    if (record.role == KernelRole::opening) {
      require_order(record, last_end_ns);
      opening_end_ns = record.end_ns;
      samples.emplace_back();
      continue;
    }
    if (samples.empty()) throw DeviceError("a kernel ran before the first sample was opened");
    require_order(record, opening_end_ns);
    add(samples.back(), record, first_start_ns, last_end_ns);
  }
  if (samples.size() != expected_samples) {
    throw DeviceError(fmt::format("CUPTI delivered records of {} runs, {} were made",
                                  samples.size(), expected_samples));
  }
  require_equal_runs(samples);
  return samples;
}

}  // namespace warpgauge::cupti
