// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/narrowed_floor.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

// A figure known to a step of the clock at best is no better known for being repeated, unless the
// processes spread over steps: by as much as the error within one finer step, and not by one
// process alone.
bool spread_over_steps(std::vector<ProcessFigures> side, double finer_step) {
  const double mean = mean_of(side.front());
  for (ProcessFigures& session : side) {
    const auto from_mean = [mean](double one, double other) {
      return std::abs(one - mean) < std::abs(other - mean);
    };
    session.erase(std::max_element(session.begin(), session.end(), from_mean));
  }
  return process_deviation(side).value_or(0) >= finer_step / std::sqrt(12.0) / mean;
}

}  // namespace

void narrow(Rule& rule, const TwoSides& sides) {
  if (!rule.steady) return;
  std::vector<ProcessFigures> both = sides.before;
  both.insert(both.end(), sides.after.begin(), sides.after.end());
  const std::optional<double> deviation = process_deviation(both);
  if (!deviation) return;
  const SteadyFloors& steady = *rule.steady;
  const double time = std::min(mean_of(sides.before.front()), mean_of(sides.after.front()));
  const double most = std::max(rule.relative_floor, rule.absolute_floor / time);
  const double least = std::max(steady.relative_floor, steady.absolute_floor / time);
  rule.relative_floor = std::min(most, std::max(least, kFloorOfSpread * *deviation));
  rule.absolute_floor = std::min(rule.absolute_floor, steady.absolute_floor);
  if (spread_over_steps(sides.before, steady.resolution) &&
      spread_over_steps(sides.after, steady.resolution)) {
    rule.resolution = std::min(rule.resolution, steady.resolution);
  }
  rule.usual_floor = most;
}

Shift classify(Estimate& estimate, double alpha, std::optional<double> usual_floor) {
  const Shift shift = classify(estimate, alpha);
  const bool is_settled = shift == Shift::none || shift == Shift::greater || shift == Shift::less;
  if (is_settled || !usual_floor) return shift;
  estimate.floor = *usual_floor;
  return classify(estimate, alpha);
}

void take_floors(const Rule& rule, TwoSides& sides) {
  sides.relative_floor = rule.relative_floor;
  sides.absolute_floor = rule.absolute_floor;
  sides.resolution = rule.resolution;
}

}  // namespace warpgauge::ci
