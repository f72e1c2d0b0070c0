// SPDX-License-Identifier: Apache-2.0
// Which metrics to collect, and how the kernels' values become a launch's counters: the part of the
// counters pass that needs no GPU.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiling/cupti/counters/profiler_host.hpp"

namespace warpgauge::cupti {

struct PlannedCounter {
  std::string name;                  // in the results
  std::vector<std::size_t> metrics;  // indices into CounterPlan::metrics, to be added up

  bool operator==(const PlannedCounter&) const = default;
};

struct CounterPlan {
  std::vector<std::string> metrics;  // CUPTI's names, each once
  std::vector<PlannedCounter> counters;
  std::map<std::string, std::string> unknown;  // counters that this chip lacks, with the reason
};

struct CounterReadings {
  std::map<std::string, double> values;             // totals of one launch with all its kernels
  std::map<std::string, std::string> not_measured;  // reason, by counter name or "counters"
};

// The counters of counters.hpp that `chip` has, and `more` metrics under their own names. `host`
// must be the host of `chip`. Throws UnknownName when the chip lacks one of `more`.
[[nodiscard]] CounterPlan plan_counters(const ProfilerHost& host, const std::string& chip,
                                        const std::vector<std::string>& more);

// The plan's metrics as CUPTI takes them; valid as long as the plan.
[[nodiscard]] std::vector<const char*> metric_names(const CounterPlan& plan);

// kernels: each kernel's values of the plan's metrics. Sums are added up. Rates, averages and
// maxima of several kernels cannot be combined, so they are not measured.
[[nodiscard]] CounterReadings combine(const CounterPlan& plan,
                                      const std::vector<std::vector<double>>& kernels);

}  // namespace warpgauge::cupti
