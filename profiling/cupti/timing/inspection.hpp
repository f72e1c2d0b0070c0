// SPDX-License-Identifier: Apache-2.0
// Looks, once in each benchmark's timing and at a moment that the benchmark cannot know, at whether
// its clock sees all that it does: one launch on input that it has not seen, whose result is
// checked, and a few usual ones beside other clocks.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiling/cupti/timing/activity_session.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

// After how many batches of samples to inspect: a random number below `most`.
[[nodiscard]] std::size_t random_moment(std::size_t most);

// The parts of a sample: what opens it, the launch, and the wait for the device.
struct SampleParts {
  std::function<void()> open;
  std::function<void()> launch;
  std::function<void()> wait;
};

// While it lives, the device's default memory pool keeps what cudaFreeAsync gives back. Otherwise
// a wait for the device gives it to the system, which takes as long as a kernel does.
class KeptPool {
 public:
  KeptPool();
  KeptPool(const KeptPool&) = delete;
  KeptPool& operator=(const KeptPool&) = delete;
  ~KeptPool();

 private:
  cudaMemPool_t pool_ = nullptr;  // null where the device has none
  std::uint64_t threshold_ = 0;   // bytes, as it was
};

struct Inspected {
  double unseen_ns = 0;  // of the launch on input that it had not seen
  std::vector<std::string> remarks{};
};

// The records of `session` must have been taken, and none of this is left in it. Throws as
// Workload::settle, and Untrusted.
[[nodiscard]] Inspected inspect(const Workload& workload, const SampleParts& sample,
                                ActivitySession& session);

// As often as it takes to be sure, with `unseen_ns` of a first time. sample_unseen: gives the time
// of one more launch on input that it has not seen. Throws Untrusted.
void require_usual_time(double unseen_ns, double usual_ns,
                        const std::function<double()>& sample_unseen);

// A launch on input that it has not seen, in nanoseconds, its result checked.
[[nodiscard]] double time_unseen(const Workload& workload, const SampleParts& sample,
                                 ActivitySession& session);

// CUPTI's clock, that of its records. Throws CuptiError.
[[nodiscard]] std::chrono::nanoseconds cupti_time();

}  // namespace warpgauge::cupti
