// SPDX-License-Identifier: Apache-2.0
// Counts the memory traffic of each instruction by CUPTI's SASS Metric API, which patches the
// kernels' machine code: counts are exact, times are not.
#pragma once

#include <cupti_callbacks.h>
#include <cupti_sass_metrics.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

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
  void configure();

  std::uint32_t device_ = 0;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::map<std::uint64_t, std::uint64_t results::InstructionTraffic::*> figures_;  // by metric
};

}  // namespace warpgauge::cupti
