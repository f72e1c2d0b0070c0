// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/metric_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "profiling/cupti/cupti_error.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::cupti {
namespace {

constexpr std::size_t kProposals = 3;

struct Parts {
  std::string base;
  std::string rollup;  // from its dot on; empty: none
};

// Some units have dots in their names, so look for the roll-up after the two underscores.
Parts parts_of(const std::string& metric) {
  const std::size_t underscores = metric.find("__");
  const std::size_t dot = metric.find('.', underscores == metric.npos ? 0 : underscores);
  if (dot == metric.npos) return {metric, ""};
  return {metric.substr(0, dot), metric.substr(dot)};
}

std::vector<std::string> proposals_for(const ProfilerHost& host, const std::string& metric) {
  const auto [base, rollup] = parts_of(metric);
  const auto bases = results::nearest(base, host.base_metrics(), kProposals);
  std::vector<std::string> proposals;
  if (!rollup.empty() && !bases.empty() && bases.front() == base) {
    for (const auto& each : results::nearest(rollup, host.rollups(base), kProposals)) {
      proposals.push_back(base + each);
    }
    return proposals;
  }
  for (const std::string& each : bases) {
    const auto rollups = host.rollups(each);
    const bool fits = std::find(rollups.begin(), rollups.end(), rollup) != rollups.end();
    proposals.push_back(each + (fits ? rollup : usual_rollup(host, each)));
  }
  return proposals;
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char one, char other) {
           return std::tolower(static_cast<unsigned char>(one)) ==
                  std::tolower(static_cast<unsigned char>(other));
         }) != text.end();
}

// Uses a new host, because a host's schedule keeps every metric that was ever added to it.
std::size_t passes_alone(const std::string& chip, const std::string& metric) {
  try {
    const ProfilerHost host(chip);
    const std::vector<const char*> metrics{metric.c_str()};
    return passes_of(host.schedule(metrics));
  } catch (const CuptiError&) {
    return 0;
  }
}

}  // namespace

std::string usual_rollup(const ProfilerHost& host, const std::string& base_metric) {
  const MetricProperties properties = host.properties(base_metric);
  switch (properties.type) {
    case MetricType::counter:
      return ".sum";
    case MetricType::ratio:
      return properties.dimension.empty() ? ".pct" : ".ratio";
    case MetricType::throughput:
      break;
  }
  return ".avg.pct_of_peak_sustained_elapsed";
}

void require_chip(const std::string& chip) {
  const auto chips = supported_chips();
  if (std::find(chips.begin(), chips.end(), chip) != chips.end()) return;
  throw UnknownName(fmt::format("CUPTI knows no chip {}; did you mean {}? It knows {}", chip,
                                fmt::join(results::nearest(chip, chips, 1), ""),
                                fmt::join(chips, ", ")));
}

void require_metrics(const ProfilerHost& host, const std::string& chip,
                     const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    if (host.knows(metric)) continue;
    throw UnknownName(
        fmt::format("{} has no metric '{}'; did you mean {}? `warpgauge metrics --chip {}` lists "
                    "them all",
                    chip, metric, fmt::join(proposals_for(host, metric), ", "), chip));
  }
}

std::vector<Metric> find_metrics(const std::string& chip, const std::string& text) {
  require_chip(chip);
  const ProfilerHost host(chip);
  const auto bases = host.base_metrics();
  const std::string whole = parts_of(text).base;
  std::vector<std::string> names;
  if (std::find(bases.begin(), bases.end(), whole) != bases.end()) {
    for (const std::string& rollup : host.rollups(whole)) names.push_back(whole + rollup);
  } else {
    for (const std::string& base : bases) {
      const std::string name = base + usual_rollup(host, base);
      if (contains(name, text) || contains(host.properties(name).description, text)) {
        names.push_back(name);
      }
    }
  }
  std::vector<Metric> metrics;
  metrics.reserve(names.size());
  for (std::string& name : names) {
    MetricProperties properties = host.properties(name);
    const std::size_t passes = passes_alone(chip, name);
    metrics.push_back({std::move(name), std::move(properties), passes});
  }
  return metrics;
}

}  // namespace warpgauge::cupti
