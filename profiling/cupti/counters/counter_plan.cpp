// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/counter_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/cupti/counters/counters.hpp"
#include "profiling/cupti/counters/metric_names.hpp"

namespace warpgauge::cupti {
namespace {

std::size_t index_of(CounterPlan& plan, const std::string& metric) {
  const auto found = std::find(plan.metrics.begin(), plan.metrics.end(), metric);
  const auto index = static_cast<std::size_t>(found - plan.metrics.begin());
  if (found == plan.metrics.end()) plan.metrics.push_back(metric);
  return index;
}

}  // namespace

CounterPlan plan_counters(const ProfilerHost& host, const std::string& chip,
                          const std::vector<std::string>& more) {
  require_metrics(host, chip, more);
  CounterPlan plan;
  for (const Counter& counter : kCounters) {
    if (!host.knows(counter.metric)) {
      plan.unknown.emplace(counter.name, fmt::format("{} has no metric {}", chip, counter.metric));
      continue;
    }
    PlannedCounter planned{std::string(counter.name), {index_of(plan, counter.metric)}};
    if (counter.matrix != nullptr && host.knows(counter.matrix)) {
      planned.metrics.push_back(index_of(plan, counter.matrix));
    }
    plan.counters.push_back(std::move(planned));
  }
  for (const std::string& metric : more) {
    PlannedCounter planned{metric, {index_of(plan, metric)}};
    if (std::find(plan.counters.begin(), plan.counters.end(), planned) == plan.counters.end()) {
      plan.counters.push_back(std::move(planned));
    }
  }
  return plan;
}

std::vector<const char*> metric_names(const CounterPlan& plan) {
  std::vector<const char*> names;
  names.reserve(plan.metrics.size());
  for (const std::string& metric : plan.metrics) names.push_back(metric.c_str());
  return names;
}

CounterReadings combine(const CounterPlan& plan, const std::vector<std::vector<double>>& kernels) {
  CounterReadings readings{.values = {}, .not_measured = plan.unknown};
  if (kernels.empty()) {
    readings.not_measured["counters"] = "the benchmark launched no kernel";
    return readings;
  }
  for (const auto& [name, metrics] : plan.counters) {
    if (kernels.size() > 1 && !plan.metrics[metrics.front()].ends_with(".sum")) {
      readings.not_measured[name] =
          fmt::format("is not a sum, so it cannot be added up over the {} kernels of the launch",
                      kernels.size());
      continue;
    }
    double sum = 0;
    for (const auto& values : kernels) {
      for (const std::size_t metric : metrics) sum += values[metric];
    }
    if (std::isfinite(sum)) {
      readings.values[name] = sum;
    } else {
      readings.not_measured[name] = "CUPTI gave no number";
    }
  }
  return readings;
}

}  // namespace warpgauge::cupti
