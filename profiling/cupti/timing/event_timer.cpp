// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/event_timer.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "profiling/cupti/timing/inspection.hpp"
#include "profiling/cupti/timing/placement.hpp"
#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/harness/trust.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::cupti {
namespace {

class Event {
 public:
  Event() { require_success(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record() { require_success(cudaEventRecord(event_), "cudaEventRecord"); }
  void wait() { require_success(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  [[nodiscard]] double nanoseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, earlier.event_, event_),
                    "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// How long the device works on when the last event is over; the least of a few samples.
void require_idle_after_events(const SampleOpening& opening, const std::function<void()>& launch,
                               Event& start, Event& end) {
  constexpr int kWatched = 3;
  const KeptPool pool;
  std::vector<double> after_ns;
  std::vector<double> timed_ns;
  for (int i = 0; i < kWatched; ++i) {
    opening.enqueue();
    start.record();
    launch();
    end.record();
    end.wait();
    const auto event_over = raw_time();
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
    after_ns.push_back(static_cast<double>((raw_time() - event_over).count()));
    timed_ns.push_back(end.nanoseconds_since(start));
  }
  require_idle(*std::min_element(after_ns.begin(), after_ns.end()),
               *std::min_element(timed_ns.begin(), timed_ns.end()));
}

}  // namespace

Timing time_by_events(const Workload& workload, const SampleOpening& opening, const Slowed& slowed,
                      const SamplingLimits& limits) {
  Event start;
  Event end;
  const auto sample = [&] {
    opening.enqueue();
    start.record();
    workload.launch();
    require_success(cudaGetLastError(), "launch");
    end.record();
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
  };
  const auto time_unseen = [&] {
    workload.surprise();
    sample();
    const double unseen_ns = end.nanoseconds_since(start);
    workload.settle();
    workload.relocate();
    sample();
    return unseen_ns;
  };
  Placement placement(workload.relocate, warm_up(sample));
  Timing timing{.method = "cuda_events, " + opening.caches};
  std::optional<std::size_t> batches_until_inspection;
  if (workload.surprise) batches_until_inspection = random_moment(limits.fewest_batches);
  std::optional<double> unseen_ns;
  const auto take_round = [&] {
    std::vector<Batch> round;
    const Seconds round_start = steady_time();
    do {
      if (placement.moves()) {
        placement.move();
        sample();
        sample();
      }
      Batch& batch = round.emplace_back();
      while (batch.size() < placement.samples()) {
        sample();
        batch.push_back(end.nanoseconds_since(start));
      }
      timing.samples_ns.insert(timing.samples_ns.end(), batch.begin(), batch.end());
      if (batches_until_inspection && (*batches_until_inspection)-- == 0) {
        batches_until_inspection.reset();
        unseen_ns = time_unseen();
        require_idle_after_events(opening, workload.launch, start, end);
      }
    } while (steady_time() - round_start < kRound);
    return round;
  };
  const Sampled sampled = take_samples(take_round, slowed, limits);
  timing.sampling = sampled.how;
  timing.sampling.placements = std::max(1, placement.moved());
  keep_counting(timing, sampled.counts);
  if (unseen_ns && !workload.hot && !timing.samples_ns.empty()) {
    require_usual_time(*unseen_ns, results::process_figure(timing.samples_ns), time_unseen);
  }
  return timing;
}

}  // namespace warpgauge::cupti
