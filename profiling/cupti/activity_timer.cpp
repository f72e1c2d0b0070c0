// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/activity_timer.hpp"

#include <fmt/format.h>

#include "profiling/cupti/activity_session.hpp"
#include "profiling/cupti/kernel_samples.hpp"
#include "profiling/cupti/sampling.hpp"
#include "profiling/launch.hpp"

namespace warpgauge::cupti {
namespace {

Timing timing_from(const std::vector<KernelSample>& samples) {
  Timing timing{.method = "cupti_activity, L2 flushed"};
  const std::size_t kernels = samples.front().kernels;
  if (kernels == 0) return timing;
  if (kernels > 1) timing.method += fmt::format(", sum of {} kernels", kernels);
  for (const KernelSample& sample : samples) {
    timing.samples_ns.push_back(sample.sum_ns);
    if (kernels > 1) timing.spans_ns.push_back(sample.span_ns);
  }
  return timing;
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
  const std::size_t count = sample_count(warm_up(sample));
  static_cast<void>(session.take_records());
  const std::vector<bool> counts = take_samples(count, sample, slowed);
  Timing timing = timing_from(group_into_samples(session.take_records(), count));
  timing.kernel_symbols = session.kernel_symbols();
  keep_counting(timing, counts);
  return timing;
}

}  // namespace warpgauge::cupti
