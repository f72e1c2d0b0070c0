// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/suite_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace warpgauge::ci {
namespace {

bool machine_is_known(const TwoSides& sides) { return !sides.scores_before.empty(); }

SessionSpread spread_of(const TwoSides& sides) {
  return machine_is_known(sides) ? spread_about_plane(sides.before, sides.scores_before)
                                 : spread_between(sides.before);
}

// A ratio is not known better than what it is a ratio to, unless by the benchmark's own sessions;
// and a session's mean not better than its processes and its clock allow.
SessionSpread product(SessionSpread ratio, SessionSpread least, double own_degrees) {
  if (!(ratio.degrees_of_freedom > 0)) return {};
  const double together = 1 / (1 / ratio.degrees_of_freedom + 1 / least.degrees_of_freedom);
  return {std::max(1.0, ratio.variance) * least.variance, std::max(own_degrees, together)};
}

// Benchmarks differ a hundredfold in how much their sessions differ, but little in how that
// compares with what their processes explain of it (on six H200s 1.6 times as much, as standard
// deviations, and no more scatter than chance gives): so it is that ratio in which they are drawn
// to each other.
std::vector<SessionSpread> drawn_together(std::span<const TwoSides* const> benchmarks) {
  std::vector<SessionSpread> own;
  std::vector<SessionSpread> least;
  std::vector<SessionSpread> ratios;
  for (const TwoSides* sides : benchmarks) {
    own.push_back(spread_of(*sides));
    least.push_back(least_spread(sides->before, sides->resolution));
    // Without any noise within sessions there is no ratio, and nothing to say to the others.
    ratios.push_back(least.back().variance > 0
                         ? SessionSpread{own.back().variance / least.back().variance,
                                         own.back().degrees_of_freedom}
                         : SessionSpread{});
  }
  ratios = moderate(ratios);
  std::vector<SessionSpread> spreads;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    spreads.push_back(
        least[i].variance > 0 ? product(ratios[i], least[i], own[i].degrees_of_freedom) : own[i]);
  }
  return spreads;
}

std::vector<SessionSpread> spreads_of(std::span<const TwoSides> benchmarks) {
  std::map<std::string, std::vector<std::size_t>> by_metric;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    by_metric[benchmarks[i].metric].push_back(i);
  }
  std::vector<SessionSpread> spreads(benchmarks.size());
  for (const auto& [metric, places] : by_metric) {
    std::vector<const TwoSides*> of_metric;
    for (const std::size_t place : places) of_metric.push_back(&benchmarks[place]);
    const std::vector<SessionSpread> drawn = drawn_together(of_metric);
    for (std::size_t i = 0; i < places.size(); ++i) spreads[places[i]] = drawn[i];
  }
  return spreads;
}

double along(const std::vector<double>& slopes, const MachineScore& from, const MachineScore& to) {
  double shift = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) shift += slopes[i] * (to[i] - from[i]);
  return shift;
}

// The baseline's figures as the new side's machine would have had them.
std::vector<ProcessFigures> on_the_other_machine(const TwoSides& sides,
                                                 const std::vector<double>& slopes,
                                                 const MachineScore& there) {
  std::vector<ProcessFigures> moved = sides.before;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const double factor = std::exp(along(slopes, sides.scores_before[i], there));
    for (double& figure : moved[i]) figure *= factor;
  }
  return moved;
}

SuiteEstimate estimate_one(const TwoSides& sides, SessionSpread spread, double beta) {
  SuiteEstimate result;
  TestTerms terms{.beta = beta,
                  .relative_floor = sides.relative_floor,
                  .absolute_floor = sides.absolute_floor,
                  .resolution = sides.resolution};
  result.own_spread = spread_of(sides);
  result.spread = spread;
  if (machine_is_known(sides)) {
    const MachineEffect effect = machine_effect(sides.before, sides.scores_before, sides.there,
                                                sides.score_noise, spread, sides.same_code);
    const MachineScore& there = sides.there.score;
    result.machine_shift = along(effect.slopes, mean_score(sides.scores_before), there);
    result.machine_variance = terms.device_variance = effect.variance;
    result.estimate = compare_means(on_the_other_machine(sides, effect.slopes, there), sides.after,
                                    spread, terms);
  } else {
    result.estimate = compare_means(sides.before, sides.after, spread, terms);
  }
  result.p_greater_alone = result.estimate.p_greater;
  result.p_less_alone = result.estimate.p_less;
  return result;
}

}  // namespace

std::vector<SuiteEstimate> estimate_suite(std::span<const TwoSides> benchmarks, double beta) {
  const std::vector<SessionSpread> spreads = spreads_of(benchmarks);

  std::vector<SuiteEstimate> results;
  std::vector<double> greater;
  std::vector<double> less;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    results.push_back(estimate_one(benchmarks[i], spreads[i], beta));
    greater.push_back(results.back().p_greater_alone);
    less.push_back(results.back().p_less_alone);
  }
  greater = holm(greater);
  less = holm(less);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].estimate.p_greater = greater[i];
    results[i].estimate.p_less = less[i];
  }
  return results;
}

}  // namespace warpgauge::ci
