// SPDX-License-Identifier: Apache-2.0
// Twelve recorded sessions of the whole suite on seven H200s of three kinds (see
// docs/explain/statistics.md), and gates that are drawn from them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge {

inline std::vector<results::Results> recorded_sessions() {
  std::vector<results::Results> sessions;
  for (int i = 1; i <= 12; ++i) {
    sessions.push_back(results::read_results(
        fmt::format("{}/tests/verdict/recorded/h200-{:02}.json", SOURCE_ROOT, i)));
  }
  return sessions;
}

// Of all sessions but those that are left out.
inline results::Results baseline_of(const std::vector<results::Results>& sessions,
                                    const std::function<bool(const results::Results&)>& left_out) {
  results::Results baseline;
  baseline.is_baseline = true;
  std::map<std::string, results::BenchmarkResult> joined;
  for (const results::Results& each : sessions) {
    if (left_out(each)) continue;
    baseline.session = each.session;
    for (const results::BenchmarkResult& benchmark : each.benchmarks) {
      const auto time = benchmark.metrics.find(results::kTimeMetric);
      if (time == benchmark.metrics.end()) continue;
      const auto [place, is_new] = joined.try_emplace(benchmark.id, benchmark);
      if (is_new) continue;
      results::Metric& all = place->second.metrics[results::kTimeMetric];
      all.sessions.push_back(time->second.sessions.at(0));
      all.labels.push_back(time->second.labels.at(0));
    }
  }
  for (const auto& [id, benchmark] : joined) baseline.benchmarks.push_back(benchmark);
  return baseline;
}

// These sessions are of one build on one input, from before a session said so.
inline results::Results as_if_told(results::Results session) {
  for (results::BenchmarkResult& each : session.benchmarks) {
    each.input_digest = std::string(16, 'd');
    each.launches = {{.kernel = "the same", .arguments = std::string(16, 'a')}};
  }
  return session;
}

inline std::vector<results::Results> told_sessions() {
  std::vector<results::Results> sessions;
  for (results::Results& each : recorded_sessions()) {
    sessions.push_back(as_if_told(std::move(each)));
  }
  return sessions;
}

// A session, and a baseline of some of the others.
struct Drawn {
  const results::Results& target;
  results::Results baseline;
};

// order: of the sessions. The first one is the target, as many of the next are approved.
inline Drawn draw_in(const std::vector<results::Results>& sessions,
                     const std::vector<std::size_t>& order, std::size_t approved) {
  std::set<const results::Results*> chosen;
  for (std::size_t i = 1; i <= approved; ++i) chosen.insert(&sessions[order[i]]);
  return {sessions[order[0]],
          baseline_of(sessions, [&](const auto& each) { return !chosen.contains(&each); })};
}

inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

inline Drawn draw(const std::vector<results::Results>& sessions, std::size_t approved,
                  std::mt19937_64& random) {
  return draw_in(sessions, shuffled(sessions.size(), random), approved);
}

inline Drawn draw_for(const std::vector<results::Results>& sessions, std::size_t target,
                      std::size_t approved, std::mt19937_64& random) {
  std::vector<std::size_t> order = shuffled(sessions.size(), random);
  std::swap(*std::find(order.begin(), order.end(), target), order.front());
  return draw_in(sessions, order, approved);
}

}  // namespace warpgauge
