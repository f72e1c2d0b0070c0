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

void take_records(ActivitySession& session, std::vector<KernelRecord>& records) {
  const auto more = session.take_records();
  records.insert(records.end(), more.begin(), more.end());
}

// Runs the samples of a batch. Returns how many.
template <class Launch, class Sample>
std::size_t run_batch(Placement& placement, const Launch& launch, const Sample& sample) {
  if (placement.moves()) {
    pause_measuring();
    placement.move();
    launch();
    sample();  // discarded: the first one after a pause is up to 4 % faster
    resume_measuring();
  }
  const std::size_t size = placement.samples();
  for (std::size_t i = 0; i < size; ++i) sample();
  return size;
}

// What the launch on unseen input showed.
void add_inspected(const Inspected& inspected, const Workload& workload, const SampleParts& parts,
                   ActivitySession& session, Timing& timing) {
  timing.remarks = inspected.remarks;
  if (workload.hot || timing.samples_ns.empty()) return;
  require_usual_time(inspected.unseen_ns, results::process_figure(timing.samples_ns),
                     [&] { return time_unseen(workload, parts, session); });
}

// What each sample launches, as long as all launch the same.
class LaunchesOfSamples {
 public:
  void add(const std::vector<KernelRecord>& records) {
    const auto runs = launches_of_runs(records);
    if (!first_ && !runs.empty()) first_ = runs.front();
    vary_ |= std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run != *first_; });
  }
  void add_to(Timing& timing, const ActivitySession& session,
              const ObservedLaunch& observed) const {
    if (vary_ || !first_) return;
    for (const std::size_t each : *first_) timing.launches.push_back(session.launch(each));
    observed.add_to(timing.launches);
  }

 private:
  std::optional<std::vector<std::size_t>> first_;
  bool vary_ = false;
};

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
  LaunchesOfSamples launches;
  std::optional<std::size_t> batches_until_inspection;
  if (workload.surprise) batches_until_inspection = random_moment(limits.fewest_batches);
  std::optional<Inspected> inspected;
  const auto take_round = [&] {
    std::vector<KernelRecord> records;
    std::vector<std::size_t> sizes;
    std::size_t total = 0;
    const Seconds start = steady_time();
    do {
      sizes.push_back(run_batch(placement, launch, sample));
      total += sizes.back();
      if (batches_until_inspection && (*batches_until_inspection)-- == 0) {
        batches_until_inspection.reset();
        take_records(session, records);
        inspected = inspect(workload, parts, session);
      }
    } while (steady_time() - start < kRound);
    take_records(session, records);
    records = without_pauses(std::move(records));
    add_symbols(records, session, timing.kernel_symbols);
    launches.add(records);
    return add_round(group_into_samples(records, total), sizes, kernels, timing);
  };
  const Sampled sampled = take_samples(take_round, slowed, limits);
  if (kernels > 1) timing.method += fmt::format(", sum of {} kernels", kernels);
  timing.sampling = sampled.how;
  timing.sampling.placements = std::max(1, placement.moved());
  keep_counting(timing, sampled.counts);
  if (inspected) add_inspected(*inspected, workload, parts, session, timing);
  clock.require_right();
  launches.add_to(timing, session, observed);
  return timing;
}

}  // namespace warpgauge::cupti
