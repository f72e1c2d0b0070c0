// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/suite_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

// Variance of a session's mean in units of what processes explain of it, on six H200s, where the
// clock is not what limits it.
constexpr double kUsualRatio = 1.6 * 1.6;
// Of what one of seven H200s does to a benchmark's logarithm and not to all: 0.8 %, as a standard
// deviation (two differ by 1.1 %; those of one kind by 0.2 %).
constexpr double kUsualMachines = 0.008 * 0.008;
constexpr double kDegreesOfMachines = 6;
constexpr SessionSpread kUsualOfNewGpu{2 * kUsualMachines, kDegreesOfMachines};

bool machine_is_known(const TwoSides& sides) { return !sides.scores_before.empty(); }

// Whether all benchmarks' spreads hold the same machines' part.
bool machines_are_in_the_spread(const TwoSides& sides) {
  return !machine_is_known(sides) && sides.gpus_before_differ;
}

// Without what all benchmarks have in common in a session.
std::vector<ProcessFigures> without_common(const TwoSides& sides, double there) {
  std::vector<ProcessFigures> moved = sides.before;
  for (std::size_t i = 0; i < sides.common_before.size(); ++i) {
    for (double& figure : moved[i]) figure *= std::exp(there - sides.common_before[i]);
  }
  return moved;
}

SessionSpread spread_of(const TwoSides& sides) {
  return machine_is_known(sides) ? spread_about_plane(without_common(sides, 0), sides.scores_before)
                                 : spread_between(sides.before);
}

// A session's mean is not known better than its processes and its clock allow; and neither is what
// is expected of it, unless by the benchmark's own sessions.
SessionSpread product(SessionSpread ratio, double expected, SessionSpread least,
                      double own_degrees) {
  const double together = 1 / (1 / ratio.degrees_of_freedom + 1 / least.degrees_of_freedom);
  return {std::max(ratio.variance * expected, least.variance), std::max(own_degrees, together)};
}

// Benchmarks differ a hundredfold in how much their sessions differ, but little in how that
// compares with what is expected of it: with what their processes explain (on six H200s 1.6 times
// as much, as standard deviations, and no more scatter than chance gives), or their clock, and what
// machines do to all of them. So it is that ratio in which they are drawn to each other, those that
// the clock limits apart.
class SpreadsOfMetric {
 public:
  explicit SpreadsOfMetric(std::vector<const TwoSides*> benchmarks)
      : benchmarks_(std::move(benchmarks)) {
    for (const TwoSides* sides : benchmarks_) {
      const std::span<const ProcessFigures> both[] = {sides->before, sides->after};
      const LeastSpread least = least_spread(both, sides->resolution);
      const double scattered = (least.by_clock ? 1 : kUsualRatio) * least.spread.variance;
      const bool may_be_of_another_kind = machines_are_in_the_spread(*sides) && sides->on_new_gpu;
      const double machines = may_be_of_another_kind ? kUsualMachines : 0;
      least_.push_back(least);
      own_.push_back(spread_of(*sides));
      expected_.push_back(scattered + machines + sides->unseen_before);
      // Of other code the machine's place says what is unseen, of the old sessions too.
      told_.push_back(scattered + machines + (sides->same_code ? sides->unseen_before : 0));
    }
  }

  [[nodiscard]] std::vector<SessionSpread> drawn_together() const {
    std::vector<SessionSpread> spreads = own_;
    for (const bool by_clock : {false, true}) draw_together(by_clock, spreads);
    return spreads;
  }

 private:
  void draw_together(bool by_clock, std::vector<SessionSpread>& spreads) const {
    std::vector<std::size_t> group;
    std::vector<SessionSpread> ratios;
    bool alike = false;
    for (std::size_t i = 0; i < benchmarks_.size(); ++i) {
      // Without any noise within sessions there is no ratio, and nothing to say to the others.
      const bool has_ratio = !benchmarks_[i]->by_processes_alone && least_[i].spread.variance > 0;
      if (!has_ratio || least_[i].by_clock != by_clock) continue;
      group.push_back(i);
      ratios.push_back({own_[i].variance / expected_[i], own_[i].degrees_of_freedom});
      alike = alike || machines_are_in_the_spread(*benchmarks_[i]);
    }
    ratios = moderate(ratios, {.variance = 1}, alike ? Says::as_one : Says::each);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t at = group[i];
      spreads[at] = product(ratios[i], told_[at], least_[at].spread, own_[at].degrees_of_freedom);
    }
  }

  std::vector<const TwoSides*> benchmarks_;
  std::vector<LeastSpread> least_;
  std::vector<SessionSpread> own_;
  std::vector<double> expected_;
  std::vector<double> told_;
};

std::vector<SessionSpread> spreads_of(std::span<const TwoSides> benchmarks) {
  std::map<std::string, std::vector<std::size_t>> by_metric;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    by_metric[benchmarks[i].metric].push_back(i);
  }
  std::vector<SessionSpread> spreads(benchmarks.size());
  for (const auto& [metric, places] : by_metric) {
    std::vector<const TwoSides*> of_metric;
    for (const std::size_t place : places) of_metric.push_back(&benchmarks[place]);
    const std::vector<SessionSpread> drawn = SpreadsOfMetric(of_metric).drawn_together();
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
  std::vector<ProcessFigures> moved = without_common(sides, sides.there.common);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const double factor = std::exp(along(slopes, sides.scores_before[i], there));
    for (double& figure : moved[i]) figure *= factor;
  }
  return moved;
}

// How far a benchmark of other code may be off on a GPU that the baseline lacks. A dozen controls
// of it may hold none of the few kernels that its kind of die is slower at, so what is usual has
// its say. It is too rare to leave every change open, but not too rare for an alarm. Sessions of
// several GPUs, without many controls, hold it already.
SessionSpread rare_unseen_of(const TwoSides& sides) {
  const MachinePlace& there = sides.there;
  const bool by_few = std::isinf(there.unseen_degrees);
  if (!sides.on_new_gpu || (by_few && sides.gpus_before_differ)) return {};
  if (by_few) return {std::max(there.unseen, kUsualOfNewGpu.variance), kDegreesOfMachines};
  const double degrees = there.unseen_degrees + kDegreesOfMachines;
  return {(there.unseen * there.unseen_degrees + kUsualOfNewGpu.variance * kDegreesOfMachines) /
              degrees,
          degrees};
}

// Variance of a standard normal variable without the fifth that is furthest from 0.
constexpr double kVarianceOfFourFifths = 0.4377;
// Degrees of freedom a benchmark that such a trimmed variance is worth.
constexpr double kDegreesOfTrimmed = 0.65;

// How far two processes of one program differ by a processor's clock, which repetitions in one of
// them do not show: by how far the benchmarks of a suite moved, less the fifth that moved furthest,
// which may be what changed. Of few benchmarks nothing is known.
std::map<std::string, SessionSpread> spreads_of_single_processes(
    std::span<const TwoSides> benchmarks) {
  constexpr std::size_t kFewest = 5;
  std::map<std::string, std::vector<double>> moved;
  for (const TwoSides& sides : benchmarks) {
    if (!sides.of_single_processes) continue;
    const double shift = std::log(mean_of(sides.after.front()) / mean_of(sides.before.front()));
    moved[sides.metric].push_back(shift * shift);
  }
  std::map<std::string, SessionSpread> spreads;
  for (auto& [metric, squares] : moved) {
    if (squares.size() < kFewest) continue;
    const double degrees = kDegreesOfTrimmed * static_cast<double>(squares.size());
    std::sort(squares.begin(), squares.end());
    squares.resize(squares.size() - squares.size() / 5);
    spreads[metric] = {mean_of(squares) / kVarianceOfFourFifths, degrees};
  }
  return spreads;
}

// A floor allows for processes that differ by half of it.
SessionSpread beyond_floor(SessionSpread spread, double relative_floor) {
  spread.variance = std::max(0.0, spread.variance - relative_floor * relative_floor / 4);
  return spread.variance > 0 ? spread : SessionSpread{};
}

SuiteEstimate estimate_one(const TwoSides& sides, SessionSpread spread,
                           SessionSpread single_processes, double beta) {
  SuiteEstimate result;
  TestTerms terms{.beta = beta,
                  .relative_floor = sides.relative_floor,
                  .absolute_floor = sides.absolute_floor,
                  .resolution = sides.resolution};
  result.own_spread = spread_of(sides);
  result.spread = spread;
  if (machine_is_known(sides)) {
    const MachineEffect effect =
        machine_effect(without_common(sides, 0), sides.scores_before, sides.there,
                       sides.score_noise, spread, sides.same_code);
    const MachinePlace& there = sides.there;
    result.machine_shift =
        there.common + along(effect.slopes, mean_score(sides.scores_before), there.score);
    terms.device_variance = effect.variance + there.common_variance;
    if (!sides.same_code) {
      terms.device_spread = {there.unseen, there.unseen_degrees};
      terms.rare_device_spread = rare_unseen_of(sides);
    }
    result.machine_variance = terms.device_variance + terms.device_spread.variance;
    result.estimate = compare_means(on_the_other_machine(sides, effect.slopes, there.score),
                                    sides.after, spread, terms);
  } else {
    if (sides.on_new_gpu && !sides.gpus_before_differ) terms.device_spread = kUsualOfNewGpu;
    result.machine_variance = terms.device_spread.variance;
    if (sides.of_single_processes) {
      terms.device_spread = beyond_floor(single_processes, sides.relative_floor);
      result.single_process_deviation = std::sqrt(terms.device_spread.variance);
    }
    result.estimate = compare_means(sides.before, sides.after, spread, terms);
  }
  result.p_greater_alone = result.estimate.p_greater;
  result.p_less_alone = result.estimate.p_less;
  return result;
}

}  // namespace

std::vector<SuiteEstimate> estimate_suite(std::span<const TwoSides> benchmarks, double beta) {
  const std::vector<SessionSpread> spreads = spreads_of(benchmarks);
  const auto single_processes = spreads_of_single_processes(benchmarks);

  std::vector<SuiteEstimate> results;
  std::vector<double> greater;
  std::vector<double> less;
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    const auto single = single_processes.find(benchmarks[i].metric);
    results.push_back(
        estimate_one(benchmarks[i], spreads[i],
                     single == single_processes.end() ? SessionSpread() : single->second, beta));
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
