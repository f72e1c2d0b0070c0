// SPDX-License-Identifier: Apache-2.0
// Counts the memory traffic of each instruction by CUPTI's SASS Metric API, which patches the
// kernels' machine code: counts are exact, times are not.
#pragma once

#include <cupti_callbacks.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiling/cupti/counters/sass_session.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

struct InstructionCounts {
  std::vector<std::string> kernels;  // demangled names of the counted kernels, sorted
  // By kernel and offset, summed over all launches; only instructions that moved data in shared or
  // global memory.
  std::vector<results::InstructionTraffic> instructions;
};

// At most one per process, and no other CUPTI profiler beside it.
class InstructionCounter {
 public:
  // Profiles the current device. Throws CuptiError when that is impossible.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // Runs `launch` twice and counts the second run, like the counters pass. Throws CuptiError when
  // CUPTI does not count, DeviceError when the launch itself fails.
  [[nodiscard]] InstructionCounts count(const std::function<void()>& launch);

 private:
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::optional<SassSession> session_;
};

}  // namespace warpgauge::cupti
