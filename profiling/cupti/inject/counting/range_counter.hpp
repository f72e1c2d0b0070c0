// SPDX-License-Identifier: Apache-2.0
// Hardware counters of a program's launches, by CUPTI's Range Profiler: CUPTI replays a kernel,
// with its memory as it was, until every counter is collected.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/cupti/counters/counter_plan.hpp"
#include "profiling/cupti/counters/profiler_host.hpp"
#include "profiling/cupti/counters/range_session.hpp"
#include "profiling/cupti/inject/counting/launch_counter.hpp"

namespace warpgauge::inject {

class RangeCounter : public LaunchCounter {
 public:
  // The usual counters, and these.
  explicit RangeCounter(std::vector<std::string> more) : more_(std::move(more)) {}

  void begin(CUcontext context, std::uint32_t device) override;
  void end() override;
  void write(const std::string& symbol, CountWriter& to) override;
  void forget(CUcontext context) noexcept override;

 private:
  struct OfContext {
    OfContext(CUcontext context, const std::string& chip, const std::vector<std::string>& more);

    cupti::ProfilerHost host;
    cupti::CounterPlan plan;
    std::vector<const char*> metrics;  // of the plan
    std::vector<std::uint8_t> schedule;
    cupti::RangeSession session;
  };

  std::vector<std::string> more_;
  std::map<CUcontext, std::unique_ptr<OfContext>> contexts_;
  OfContext* counting_ = nullptr;
  cupti::CounterReadings readings_;
};

}  // namespace warpgauge::inject
