// SPDX-License-Identifier: Apache-2.0
// Which metrics are to be collected, and what becomes of a kernel's values: all of the counters
// pass that needs no GPU.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/cupti/counters/profiler_host.hpp"

namespace warpgauge::cupti {

struct CounterPlan {
  std::vector<std::string> metrics;                           // of CUPTI's, each once
  std::vector<std::pair<std::string, std::size_t>> counters;  // name in the results, its metric
  std::map<std::string, std::string> unknown;  // counters that this chip cannot count: why
};

struct CounterReadings {
  std::map<std::string, double> values;             // of one launch, all of its kernels together
  std::map<std::string, std::string> not_measured;  // by counter's name, or "counters": why
};

// The counters of counters.hpp that `host`, which is of `chip`, has, and `more` metrics under their
// own names. Throws UnknownName for one of `more` that it has not.
[[nodiscard]] CounterPlan plan_counters(const ProfilerHost& host, const std::string& chip,
                                        const std::vector<std::string>& more);

// For CUPTI; valid as long as the plan.
[[nodiscard]] std::vector<const char*> metric_names(const CounterPlan& plan);

// kernels: of each the values of the plan's metrics. Sums are added up; of several kernels' rates,
// averages and maxima none is that of the launch, so they are not measured.
[[nodiscard]] CounterReadings combine(const CounterPlan& plan,
                                      const std::vector<std::vector<double>>& kernels);

}  // namespace warpgauge::cupti
