// SPDX-License-Identifier: Apache-2.0
// What each instruction of a benchmark's kernels moved, by CUPTI's SASS Metric API, which patches
// their machine code: counts are exact, times are not.
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
  std::vector<std::string> kernels;  // demangled, that CUPTI counted; by name
  // By kernel and offset, over all launches; without those that moved nothing in shared or global
  // memory.
  std::vector<results::InstructionTraffic> instructions;
};

// At most one a process, which uses no other profiler of CUPTI's.
class InstructionCounter {
 public:
  // For the current device. Throws CuptiError when it cannot be profiled.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // Runs `launch` twice and counts the second, as the counters are. Throws CuptiError when CUPTI
  // does not count, DeviceError when the launch itself fails.
  [[nodiscard]] InstructionCounts count(const std::function<void()>& launch);

 private:
  void configure();

  std::uint32_t device_ = 0;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::map<std::uint64_t, std::uint64_t results::InstructionTraffic::*> figures_;  // by metric
};

}  // namespace warpgauge::cupti
