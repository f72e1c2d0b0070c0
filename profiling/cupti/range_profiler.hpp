// SPDX-License-Identifier: Apache-2.0
// Hardware counters of a benchmark's kernels, by CUPTI's Range Profiler: each kernel is a range of
// its own, replayed until every counter is collected.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/cupti/profiler_host.hpp"

namespace warpgauge::cupti {

struct CounterReadings {
  std::map<std::string, double> values;             // summed over the kernels of one launch
  std::map<std::string, std::string> not_measured;  // by counter's name, or "counters": why
};

class RangeProfiler {
 public:
  // Of the current device, for the counters of counters.hpp that its chip has. Throws CuptiError
  // when the device cannot be profiled.
  RangeProfiler();

  // Runs `launch` as often as it takes to have room for all its kernels. Throws CuptiError when
  // CUPTI gives no counters, DeviceError when the launch itself fails.
  [[nodiscard]] CounterReadings measure(const std::function<void()>& launch);

 private:
  std::vector<std::string> names_;
  std::vector<const char*> metrics_;
  std::map<std::string, std::string> unknown_;
  std::optional<ProfilerHost> host_;
  std::vector<std::uint8_t> schedule_;
};

}  // namespace warpgauge::cupti
