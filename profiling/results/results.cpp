// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/results.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace warpgauge::results {

std::vector<double> Metric::figures() const {
  std::vector<double> all;
  for (const auto& session : sessions) all.insert(all.end(), session.begin(), session.end());
  return all;
}

std::optional<double> Metric::mean() const {
  const std::vector<double> all = figures();
  if (all.empty()) return std::nullopt;
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

std::optional<double> Metric::only_figure() const {
  const std::vector<double> all = figures();
  const auto other = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>());
  if (all.empty() || other != all.end()) return std::nullopt;
  return all.front();
}

const Metric* BenchmarkResult::find(const std::string& metric) const {
  const auto found = metrics.find(metric);
  if (found == metrics.end()) return nullptr;
  const auto& sessions = found->second.sessions;
  const bool any = std::any_of(sessions.begin(), sessions.end(),
                               [](const auto& session) { return !session.empty(); });
  return any ? &found->second : nullptr;
}

std::optional<double> BenchmarkResult::figure(const std::string& metric) const {
  const Metric* const found = find(metric);
  return found == nullptr || !found->problem.empty() ? std::nullopt : found->mean();
}

const std::pair<const std::string, std::string>* BenchmarkResult::why_not_measured(
    const std::string& metric) const {
  auto found = not_measured.find(metric);
  if (found == not_measured.end() && metric != kTimeMetric) found = not_measured.find("counters");
  return found == not_measured.end() ? nullptr : &*found;
}

const BenchmarkResult* Results::find(std::string_view id) const {
  const auto found = std::find_if(benchmarks.begin(), benchmarks.end(),
                                  [&](const BenchmarkResult& each) { return each.id == id; });
  return found == benchmarks.end() ? nullptr : &*found;
}

std::map<std::string_view, const BenchmarkResult*> Results::by_id() const {
  std::map<std::string_view, const BenchmarkResult*> all;
  for (const BenchmarkResult& each : benchmarks) all[each.id] = &each;
  return all;
}

}  // namespace warpgauge::results
