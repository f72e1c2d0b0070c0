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

// How often a kernel runs for the counters of counters.hpp and `more` on the current device, asked
// without opening a profiler. Throws UnknownName for one of `more` that the device's chip lacks,
// and CuptiError.
[[nodiscard]] std::size_t passes_on_device(const std::vector<std::string>& more);

// From the first measurement on the context is profiled; it ends before the context does, and
// before main() does.
class RangeProfiler {
 public:
  // Of the current device, for the counters of counters.hpp and `more`. Throws CuptiError when the
  // device cannot be profiled, UnknownName for one of `more` that its chip lacks.
  explicit RangeProfiler(const std::vector<std::string>& more = {});

  // Runs `launch` as often as it takes to have room for all its kernels. Throws CuptiError when
  // CUPTI gives no counters, DeviceError when the launch itself fails.
  [[nodiscard]] CounterReadings measure(const std::function<void()>& launch);

  // The same of each kernel that `launch` launches, in their order.
  [[nodiscard]] std::vector<CounterReadings> measure_each(const std::function<void()>& launch);

  // How often each kernel runs. CUPTI puts back what the kernel wrote before it runs again.
  [[nodiscard]] std::size_t passes() const { return passes_of(schedule_); }

 private:
  // The values of the plan's metrics, by kernel.
  [[nodiscard]] std::vector<std::vector<double>> values_of_kernels(
      const std::function<void()>& launch);

  // A session of the current context, with the usual room.
  void open_session();

  std::optional<ProfilerHost> host_;
  CounterPlan plan_;
  std::vector<const char*> metrics_;  // of the plan
  std::vector<std::uint8_t> schedule_;
  std::optional<RangeSession> session_;  // opened once for many benchmarks: it takes 0.2 s
};

}  // namespace warpgauge::cupti
