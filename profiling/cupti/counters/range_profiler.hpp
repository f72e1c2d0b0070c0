// SPDX-License-Identifier: Apache-2.0
// Hardware counters of a benchmark's kernels, by CUPTI's Range Profiler: each kernel is a range of
// its own, replayed until every counter is collected.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiling/cupti/counters/counter_plan.hpp"
#include "profiling/cupti/counters/profiler_host.hpp"
#include "profiling/cupti/counters/range_session.hpp"

namespace warpgauge::cupti {

// How often a kernel runs for the counters of counters.hpp and `more` on the current device. Opens
// no profiler. Throws UnknownName when the device's chip lacks one of `more`, and CuptiError.
[[nodiscard]] std::size_t passes_on_device(const std::vector<std::string>& more);

// Profiles the context from the first measurement on. Must be destroyed before the context and
// before main() ends.
class RangeProfiler {
 public:
  // Profiles the current device, with the counters of counters.hpp and `more`. Throws CuptiError
  // when the device cannot be profiled, UnknownName when its chip lacks one of `more`.
  explicit RangeProfiler(const std::vector<std::string>& more = {});

  // Runs `launch` until there is room for the counters of all its kernels. Throws CuptiError when
  // CUPTI delivers no counters, DeviceError when the launch itself fails.
  [[nodiscard]] CounterReadings measure(const std::function<void()>& launch);

  // The same for each kernel that `launch` launches, in launch order.
  [[nodiscard]] std::vector<CounterReadings> measure_each(const std::function<void()>& launch);

  // How often each kernel runs. CUPTI restores memory before each further run.
  [[nodiscard]] std::size_t passes() const { return passes_of(schedule_); }

 private:
  // The values of the plan's metrics, by kernel.
  [[nodiscard]] std::vector<std::vector<double>> values_of_kernels(
      const std::function<void()>& launch);

  // Opens a session of the current context, with the usual room.
  void open_session();

  std::optional<ProfilerHost> host_;
  CounterPlan plan_;
  std::vector<const char*> metrics_;  // of the plan
  std::vector<std::uint8_t> schedule_;
  std::optional<RangeSession> session_;  // shared by benchmarks: opening one takes 0.2 s
};

}  // namespace warpgauge::cupti
