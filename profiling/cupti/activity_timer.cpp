// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/activity_timer.hpp"

#include <fmt/format.h>

#include "profiling/cupti/activity_session.hpp"
#include "profiling/cupti/kernel_samples.hpp"
#include "profiling/cupti/sampling.hpp"
#include "profiling/launch.hpp"

namespace warpgauge::cupti {
namespace {

// Adds one batch, and returns its durations.
std::vector<double> add(const std::vector<KernelSample>& batch, std::size_t& kernels,
                        Timing& timing) {
  if (timing.samples_ns.empty()) kernels = batch.front().kernels;
  std::vector<double> durations;
  if (kernels == 0) return durations;
  for (const KernelSample& sample : batch) {
    if (sample.kernels != kernels) throw unequal_runs(sample.kernels, kernels);
    durations.push_back(sample.sum_ns);
    if (kernels > 1) timing.spans_ns.push_back(sample.span_ns);
  }
  timing.samples_ns.insert(timing.samples_ns.end(), durations.begin(), durations.end());
  return durations;
}

}  // namespace

Timing time_by_activity(const std::function<void()>& launch, const CacheFlush& flush,
                        const Slowed& slowed) {
  ActivitySession session;
  const auto sample = [&] {
    flush();
    launch();
    require_success(cudaGetLastError(), "launch");
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
  };
  const Seconds one_sample = warm_up(sample);
  static_cast<void>(session.take_records());
  Timing timing{.method = "cupti_activity, L2 flushed"};
  std::size_t kernels = 0;
  const auto take_batch = [&](std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) sample();
    return add(group_into_samples(session.take_records(), size), kernels, timing);
  };
  const Sampled sampled = take_samples(one_sample, take_batch, slowed);
  if (kernels > 1) timing.method += fmt::format(", sum of {} kernels", kernels);
  timing.sampling = sampled.how;
  timing.kernel_symbols = session.kernel_symbols();
  keep_counting(timing, sampled.counts);
  return timing;
}

}  // namespace warpgauge::cupti
