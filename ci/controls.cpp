// SPDX-License-Identifier: Apache-2.0
#include "ci/controls.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "ci/machine_cause.hpp"
#include "ci/machine_factor.hpp"
#include "ci/mean.hpp"
#include "ci/policy.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;

using MeansByLabel = std::map<std::string, double>;

// Nothing where a session is not named, has no figure, or one that has no logarithm.
std::optional<MeansByLabel> means_by_label(const BenchmarkResult& benchmark) {
  const auto time = benchmark.metrics.find(results::kTimeMetric);
  if (benchmark.outcome.status != results::Status::ok || time == benchmark.metrics.end()) {
    return std::nullopt;
  }
  const Metric& metric = time->second;
  if (!metric.problem.empty() || metric.sessions.empty() ||
      metric.labels.size() != metric.sessions.size()) {
    return std::nullopt;
  }
  MeansByLabel means;
  for (std::size_t i = 0; i < metric.sessions.size(); ++i) {
    const std::vector<double>& figures = metric.sessions[i];
    if (figures.empty() || *std::min_element(figures.begin(), figures.end()) <= 0) {
      return std::nullopt;
    }
    means[metric.labels[i]] = mean_of(figures);
  }
  return means;
}

struct Control {
  MeansByLabel before;
  MeansByLabel after;
};

std::vector<std::string> shared_labels(const std::vector<Control>& controls,
                                       MeansByLabel Control::*side) {
  std::vector<std::string> shared;
  for (const auto& [label, mean] : controls.front().*side) {
    const bool everywhere = std::all_of(
        controls.begin(), controls.end(),
        [&, &name = label](const Control& each) { return (each.*side).contains(name); });
    if (everywhere) shared.push_back(label);
  }
  return shared;
}

std::optional<std::vector<double>> looked_up(const std::map<std::string, double>& scores,
                                             const std::vector<std::string>& labels) {
  std::vector<double> found;
  for (const std::string& label : labels) {
    const auto score = scores.find(label);
    if (score == scores.end()) return std::nullopt;
    found.push_back(score->second);
  }
  return found;
}

}  // namespace

bool is_control(const std::vector<std::string>& patterns, const std::string& id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(pattern, id); });
}

void SideScores::put_into(TwoSides& sides, const std::vector<std::string>& labels_before,
                          const std::vector<std::string>& labels_after) const {
  auto scores_before = looked_up(before, labels_before);
  auto scores_after = looked_up(after, labels_after);
  if (!scores_before || !scores_after || scores_before->size() != sides.before.size() ||
      scores_after->size() != sides.after.size() || controls.empty()) {
    return;
  }
  sides.scores_before = std::move(*scores_before);
  sides.scores_after = std::move(*scores_after);
  sides.score_noise = noise;
}

double distance_of(const SideScores& scores) {
  const auto mean = [](const std::map<std::string, double>& side) {
    double sum = 0;
    for (const auto& [label, score] : side) sum += score;
    return side.empty() ? 0 : sum / static_cast<double>(side.size());
  };
  return std::abs(mean(scores.after) - mean(scores.before));
}

SideScores side_scores(const Results& before, const Results& after,
                       const std::vector<std::string>& patterns) {
  SideScores scores;
  std::map<std::string, const BenchmarkResult*> old_results;
  for (const BenchmarkResult& benchmark : before.benchmarks) {
    if (is_control(patterns, benchmark.id)) old_results[benchmark.id] = &benchmark;
  }
  std::vector<Control> controls;
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto old_result = old_results.find(benchmark.id);
    if (old_result == old_results.end()) continue;
    const auto code = compare_code(old_result->second->machine_code, benchmark.machine_code);
    if (code.result == CodeComparison::Result::other) {
      scores.changed.push_back(benchmark.id);
      continue;
    }
    auto means_before = means_by_label(*old_result->second);
    auto means_after = means_by_label(benchmark);
    if (!means_before || !means_after) continue;
    controls.push_back({std::move(*means_before), std::move(*means_after)});
    scores.controls.push_back(benchmark.id);
  }
  if (controls.empty()) return scores;

  const std::vector<std::string> labels_before = shared_labels(controls, &Control::before);
  const std::vector<std::string> labels_after = shared_labels(controls, &Control::after);
  std::vector<std::vector<double>> times;
  for (const Control& control : controls) {
    std::vector<double>& of_control = times.emplace_back();
    for (const std::string& label : labels_before) of_control.push_back(control.before.at(label));
    for (const std::string& label : labels_after) of_control.push_back(control.after.at(label));
  }
  const MachineScores machine = machine_scores(times);
  scores.noise = machine.noise;
  for (std::size_t i = 0; i < labels_before.size(); ++i) {
    scores.before[labels_before[i]] = machine.of_sessions[i];
  }
  for (std::size_t i = 0; i < labels_after.size(); ++i) {
    scores.after[labels_after[i]] = machine.of_sessions[labels_before.size() + i];
  }
  return scores;
}

}  // namespace warpgauge::ci
