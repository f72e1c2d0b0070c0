// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/event_timer.hpp"

#include <algorithm>

#include "profiling/cupti/timing/placement.hpp"
#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {
namespace {

class Event {
 public:
  Event() { require_success(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }

  void record() { require_success(cudaEventRecord(event_), "cudaEventRecord"); }
  [[nodiscard]] double nanoseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    require_success(cudaEventElapsedTime(&milliseconds, earlier.event_, event_),
                    "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

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
  Placement placement(workload.relocate, warm_up(sample));
  Timing timing{.method = "cuda_events, " + opening.caches};
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
    } while (steady_time() - round_start < kRound);
    return round;
  };
  const Sampled sampled = take_samples(take_round, slowed, limits);
  timing.sampling = sampled.how;
  timing.sampling.placements = std::max(1, placement.moved());
  keep_counting(timing, sampled.counts);
  return timing;
}

}  // namespace warpgauge::cupti
