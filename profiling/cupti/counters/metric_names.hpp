// SPDX-License-Identifier: Apache-2.0
// Finds and explains the metrics that people name, and checks the names before CUPTI sees them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/cupti/counters/profiler_host.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {

// A metric that CUPTI can collect.
struct Metric {
  std::string name;  // with its roll-up
  MetricProperties properties;
  std::size_t passes = 0;  // when collected alone; 0: CUPTI has no schedule for it
};

// The most common roll-up: a counter's sum, a ratio, a throughput's share of the peak.
[[nodiscard]] std::string usual_rollup(const ProfilerHost& host, const std::string& base_metric);

// Throws UnknownName unless CUPTI knows the chip.
void require_chip(const std::string& chip);

// Throws UnknownName unless `host`, the host of `chip`, knows each of `metrics`.
void require_metrics(const ProfilerHost& host, const std::string& chip,
                     const std::vector<std::string>& metrics);

// Metrics of `chip` whose name or description contains `text`, ignoring case, each with its usual
// roll-up. If `text` is a metric's whole name, with or without roll-up, all its roll-ups are
// listed. Throws UnknownName when CUPTI does not know the chip.
[[nodiscard]] std::vector<Metric> find_metrics(const std::string& chip, const std::string& text);

}  // namespace warpgauge::cupti
