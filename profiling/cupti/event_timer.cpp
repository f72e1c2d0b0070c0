// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/event_timer.hpp"

#include "profiling/cupti/sampling.hpp"
#include "profiling/launch.hpp"

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

Timing time_by_events(const std::function<void()>& launch, const CacheFlush& flush,
                      const Slowed& slowed) {
  Event start;
  Event end;
  const auto sample = [&] {
    flush();
    start.record();
    launch();
    require_success(cudaGetLastError(), "launch");
    end.record();
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
  };
  const Seconds one_sample = warm_up(sample);
  Timing timing{.method = "cuda_events, L2 flushed"};
  const auto take_batch = [&](std::size_t size) {
    std::vector<double> durations;
    for (std::size_t i = 0; i < size; ++i) {
      sample();
      durations.push_back(end.nanoseconds_since(start));
    }
    timing.samples_ns.insert(timing.samples_ns.end(), durations.begin(), durations.end());
    return durations;
  };
  const Sampled sampled = take_samples(one_sample, take_batch, slowed);
  timing.sampling = sampled.how;
  keep_counting(timing, sampled.counts);
  return timing;
}

}  // namespace warpgauge::cupti
