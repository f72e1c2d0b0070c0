// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/activity_timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "profiling/cupti/timing/activity_session.hpp"
#include "profiling/cupti/timing/cache_flush.hpp"
#include "profiling/cupti/timing/inspection.hpp"
#include "profiling/cupti/timing/kernel_samples.hpp"
#include "profiling/cupti/timing/observed_launch.hpp"
#include "profiling/cupti/timing/placement.hpp"
#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/harness/trust.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::cupti {
namespace {

// Adds the samples of one round and returns their durations in batches of the given sizes.
std::vector<Batch> add_round(const std::vector<KernelSample>& samples,
                             const std::vector<std::size_t>& sizes, std::size_t& kernels,
                             Timing& timing) {
  if (timing.samples_ns.empty()) kernels = samples.front().kernels;
  std::vector<Batch> batches;
  if (kernels == 0) return batches;
  auto sample = samples.begin();
  for (const std::size_t size : sizes) {
    Batch& batch = batches.emplace_back();
    for (; batch.size() < size; ++sample) {
      if (sample->kernels != kernels) throw unequal_runs(sample->kernels, kernels);
      batch.push_back(sample->sum_ns);
      if (kernels > 1) timing.spans_ns.push_back(sample->span_ns);
    }
    timing.samples_ns.insert(timing.samples_ns.end(), batch.begin(), batch.end());
  }
  return batches;
}

// Kernel symbols in order of first launch, each once, without the harness's own kernels.
void add_symbols(const std::vector<KernelRecord>& records, const ActivitySession& session,
                 std::vector<std::string>& symbols) {
  std::set<std::size_t> known;
  for (const KernelRecord& record : records) {
    if (record.role != KernelRole::benchmark || !known.insert(record.launch).second) continue;
    std::string symbol = session.launch(record.launch).kernel;
    if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) {
      symbols.push_back(std::move(symbol));
    }
  }
}

}  // namespace

Timing time_by_activity(const Workload& workload, const SampleOpening& opening,
                        const Slowed& slowed, const SamplingLimits& limits) {
  ActivitySession session;
  const auto launch = [&] {
    workload.launch();
    require_success(cudaGetLastError(), "launch");
  };
  const auto wait = [] {
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
  };
  const auto sample = [&] {
    opening.enqueue();
    launch();
    wait();
  };
  const SampleParts parts{opening.enqueue, launch, wait};
  const ClockWatch clock("CUPTI's clock", cupti_time);
  sample();  // what a benchmark prepares in its first launch is not what each of them asks for
  const ObservedLaunch observed(opening.enqueue, workload.launch, wait);
  Placement placement(workload.relocate, warm_up(sample));
  static_cast<void>(session.take_records());

  Timing timing{.method = "cupti_activity, " + opening.caches};
  timing.host_calls = observed.host_calls();
  std::size_t kernels = 0;
  std::optional<std::vector<std::size_t>> launches;  // of the first sample
  bool launches_vary = false;
  std::optional<std::size_t> batches_until_inspection;
  if (workload.surprise) batches_until_inspection = random_moment(limits.fewest_batches);
  std::optional<Inspected> inspected;
  const auto take_round = [&] {
    std::vector<KernelRecord> records;
    const auto take_records = [&] {
      const auto more = session.take_records();
      records.insert(records.end(), more.begin(), more.end());
    };
    std::vector<std::size_t> sizes;
    std::size_t total = 0;
    const Seconds start = steady_time();
    do {
      if (placement.moves()) {
        pause_measuring();
        placement.move();
        launch();
        sample();  // discarded: the first one after a pause is up to 4 % faster
        resume_measuring();
      }
      sizes.push_back(placement.samples());
      for (std::size_t i = 0; i < sizes.back(); ++i) sample();
      total += sizes.back();
      if (batches_until_inspection && (*batches_until_inspection)-- == 0) {
        batches_until_inspection.reset();
        take_records();
        inspected = inspect(workload, parts, session);
      }
    } while (steady_time() - start < kRound);
    take_records();
    records = without_pauses(std::move(records));
    add_symbols(records, session, timing.kernel_symbols);
    const auto launched = launches_of_runs(records);
    if (!launches && !launched.empty()) launches = launched.front();
    launches_vary |= std::any_of(launched.begin(), launched.end(),
                                 [&](const auto& run) { return run != *launches; });
    return add_round(group_into_samples(records, total), sizes, kernels, timing);
  };
  const Sampled sampled = take_samples(take_round, slowed, limits);
  if (kernels > 1) timing.method += fmt::format(", sum of {} kernels", kernels);
  timing.sampling = sampled.how;
  timing.sampling.placements = std::max(1, placement.moved());
  keep_counting(timing, sampled.counts);
  if (inspected) {
    timing.remarks = inspected->remarks;
    if (!workload.hot && !timing.samples_ns.empty()) {
      require_usual_time(inspected->unseen_ns, results::process_figure(timing.samples_ns),
                         [&] { return time_unseen(workload, parts, session); });
    }
  }
  clock.require_right();
  if (!launches_vary && launches) {
    for (const std::size_t each : *launches) timing.launches.push_back(session.launch(each));
    observed.add_to(timing.launches);
  }
  return timing;
}

}  // namespace warpgauge::cupti
