// SPDX-License-Identifier: Apache-2.0
#include "ci/machine_factor.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "ci/mean.hpp"

namespace warpgauge::ci {
namespace {

std::vector<double> centred(std::vector<double> values) {
  const double mean = mean_of(values);
  for (double& value : values) value -= mean;
  return values;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// How the means of a benchmark's sessions lie about their own mean, with the scores about theirs.
struct Line {
  std::vector<double> scores;
  std::vector<double> logarithms;
  double scores_squared = 0;
  double product = 0;

  Line(std::span<const ProcessFigures> sessions, std::span<const double> session_scores)
      : scores(centred({session_scores.begin(), session_scores.end()})) {
    logarithms.reserve(sessions.size());
    for (const ProcessFigures& session : sessions) logarithms.push_back(std::log(mean_of(session)));
    logarithms = centred(std::move(logarithms));
    scores_squared = dot(scores, scores);
    product = dot(scores, logarithms);
  }
};

// By power iteration on the sessions' scalar products, from the control that varies most, which the
// component cannot be at right angles to unless all are.
std::vector<double> first_component(const std::vector<std::vector<double>>& controls) {
  std::vector<double> scores =
      *std::max_element(controls.begin(), controls.end(),
                        [](const auto& a, const auto& b) { return dot(a, a) < dot(b, b); });
  constexpr int kSteps = 200;
  for (int step = 0; step < kSteps; ++step) {
    const double length = std::sqrt(dot(scores, scores));
    if (!(length > 0)) break;
    for (double& score : scores) score /= length;
    std::vector<double> next(scores.size());
    for (const std::vector<double>& control : controls) {
      const double weight = dot(control, scores);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] += weight * control[i];
    }
    // Along a unit vector of the controls, so that a score is in units of logarithmic time.
    const double scale = std::sqrt(std::sqrt(dot(next, next)));
    if (!(scale > 0)) return next;
    scores = std::move(next);
    for (double& score : scores) score /= scale;
  }
  return scores;
}

}  // namespace

MachineScores machine_scores(std::span<const std::vector<double>> controls) {
  if (controls.empty()) return {};
  std::vector<std::vector<double>> logarithms;
  double scatter = 0;
  for (const std::vector<double>& control : controls) {
    std::vector<double> of_control;
    of_control.reserve(control.size());
    for (const double time : control) of_control.push_back(std::log(time));
    logarithms.push_back(centred(std::move(of_control)));
    scatter += dot(logarithms.back(), logarithms.back());
  }
  std::vector<double> scores = first_component(logarithms);
  const double freely =
      (static_cast<double>(scores.size()) - 1) * (static_cast<double>(controls.size()) - 1);
  const double about_line = std::max(0.0, scatter - dot(scores, scores));
  return {std::move(scores), freely > 0 ? about_line / freely : 0};
}

SessionSpread spread_about_line(std::span<const ProcessFigures> sessions,
                                std::span<const double> scores) {
  const SessionSpread about_mean = spread_between(sessions);
  if (sessions.size() < 3) return about_mean;
  const Line line(sessions, scores);
  if (!(line.scores_squared > 0)) return about_mean;
  const double total = dot(line.logarithms, line.logarithms);
  const double explained = line.product * line.product / line.scores_squared;
  const double degrees = static_cast<double>(sessions.size()) - 2;
  const double residual = std::max(0.0, total - explained) / degrees;
  return {residual, degrees};
}

MachineEffect machine_effect(std::span<const ProcessFigures> sessions,
                             std::span<const double> scores, double noise, SessionSpread spread) {
  constexpr double kPriorVariance = 1;
  if (!(spread.degrees_of_freedom > 0)) return {0, kPriorVariance};
  const Line line(sessions, scores);
  if (!(spread.variance > 0)) {
    return line.scores_squared > 0 ? MachineEffect{line.product / line.scores_squared, 0}
                                   : MachineEffect{0, kPriorVariance};
  }
  // Four times what chance gives on average is what it hardly ever gives.
  constexpr double kSurelyMore = 4;
  const double by_chance = kSurelyMore * noise * (static_cast<double>(scores.size()) - 1);
  const double share = line.scores_squared > by_chance ? 1 - by_chance / line.scores_squared : 0;
  const double precision = 1 / kPriorVariance + share * line.scores_squared / spread.variance;
  return {share * line.product / spread.variance / precision, 1 / precision};
}

}  // namespace warpgauge::ci
