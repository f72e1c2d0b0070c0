// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/control_benchmarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "ci/policy/policy.hpp"
#include "ci/statistics/device_effects.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;

using MeansByLabel = std::map<std::string, double>;

// Nothing where a session is not named, has no figure, or one that has no logarithm.
std::optional<MeansByLabel> means_by_label(const BenchmarkResult& benchmark) {
  const Metric* const time = benchmark.find(results::kTimeMetric);
  if (benchmark.outcome.status != results::Status::ok || time == nullptr ||
      !time->problem.empty() || time->labels.size() != time->sessions.size()) {
    return std::nullopt;
  }
  MeansByLabel means;
  for (std::size_t i = 0; i < time->sessions.size(); ++i) {
    const std::vector<double>& figures = time->sessions[i];
    if (figures.empty() || *std::min_element(figures.begin(), figures.end()) <= 0) {
      return std::nullopt;
    }
    means[time->labels[i]] = mean_of(figures);
  }
  return means;
}

// The sessions of both sides: a side's label is another session on the other side.
enum class Side { before, after };
using SessionKey = std::pair<Side, std::string>;

struct Control {
  std::string id;
  bool named = false;  // by the policy
  std::map<SessionKey, double> means;
  double variance = 0;  // of a mean's logarithm, by processes and clock
};

std::optional<Control> control_of(const BenchmarkResult& before, const BenchmarkResult& after,
                                  double resolution, bool named) {
  Control control{after.id, named, {}, 0};
  for (const auto& [side, benchmark] : {std::pair{Side::before, &before}, {Side::after, &after}}) {
    const auto means = means_by_label(*benchmark);
    if (!means) return std::nullopt;
    for (const auto& [label, mean] : *means) control.means[{side, label}] = mean;
  }
  const std::span<const ProcessFigures> sides[] = {before.metrics.at(results::kTimeMetric).sessions,
                                                   after.metrics.at(results::kTimeMetric).sessions};
  control.variance = least_spread(sides, resolution).spread.variance;
  return control;
}

// The old side's sessions that nearly all controls have, so that a session of a part of the suite
// takes nothing from the others.
std::vector<SessionKey> whole_sessions(const std::vector<Control>& controls) {
  constexpr double kNearlyAll = 0.9;
  std::map<SessionKey, std::size_t> counts;
  for (const Control& control : controls) {
    for (const auto& [session, mean] : control.means) ++counts[session];
  }
  std::vector<SessionKey> whole;
  for (const auto& [session, count] : counts) {
    if (session.first == Side::before &&
        static_cast<double>(count) >= kNearlyAll * static_cast<double>(controls.size())) {
      whole.push_back(session);
    }
  }
  return whole;
}

// A few benchmarks that happen not to have been touched may be those that repeat worst; the
// policy's were chosen.
void leave_to_the_policys(std::vector<Control>& controls) {
  constexpr std::size_t kFewest = 3;
  if (controls.size() >= kManyControls) return;
  const auto named = [](const Control& control) { return control.named; };
  if (std::any_of(controls.begin(), controls.end(), named)) {
    std::erase_if(controls, std::not_fn(named));
  } else if (controls.size() < kFewest) {
    controls.clear();
  }
}

void score_sessions(std::vector<Control> controls, SideScores& scores) {
  leave_to_the_policys(controls);
  const std::vector<SessionKey> whole = whole_sessions(controls);
  std::set<SessionKey> others;
  for (const Control& control : controls) {
    for (const auto& [session, mean] : control.means) others.insert(session);
  }
  std::erase_if(controls, [&](const Control& control) {
    return std::any_of(whole.begin(), whole.end(),
                       [&](const SessionKey& session) { return !control.means.contains(session); });
  });
  leave_to_the_policys(controls);
  if (controls.empty() || whole.empty()) return;

  std::vector<ControlTimes> times;
  for (const Control& control : controls) {
    ControlTimes& of_control = times.emplace_back();
    for (const SessionKey& session : whole) {
      of_control.of_sessions.push_back(control.means.at(session));
    }
    of_control.variance = control.variance;
    scores.controls.push_back(control.id);
  }
  const MachineScores machine = machine_scores(times);
  scores.noise = machine.noise;
  scores.unseen_before = machine.unseen;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    MachinePlace& place = scores.before[whole[i].second];
    place.score = machine.of_sessions[i];
    place.common = machine.common[i];
    others.erase(whole[i]);
  }
  for (const SessionKey& session : others) {
    std::vector<std::optional<double>> of_session;
    for (const Control& control : controls) {
      const auto mean = control.means.find(session);
      of_session.push_back(mean == control.means.end() ? std::nullopt
                                                       : std::optional(mean->second));
    }
    const auto place = place_of(machine, of_session);
    if (!place) continue;
    auto& side = session.first == Side::before ? scores.before : scores.after;
    side[session.second] = *place;
  }
}

std::optional<std::vector<MachinePlace>> looked_up(
    const std::map<std::string, MachinePlace>& places, const std::vector<std::string>& labels) {
  std::vector<MachinePlace> found;
  for (const std::string& label : labels) {
    const auto place = places.find(label);
    if (place == places.end()) return std::nullopt;
    found.push_back(place->second);
  }
  return found;
}

template <class Place>
std::vector<Place> all_of(const std::map<std::string, Place>& places) {
  std::vector<Place> all;
  all.reserve(places.size());
  for (const auto& [label, place] : places) all.push_back(place);
  return all;
}

MachinePlace mean_place(const std::vector<MachinePlace>& places) {
  const auto count = static_cast<double>(places.size());
  std::vector<MachineScore> scores;
  scores.reserve(places.size());
  MachinePlace mean;
  for (const MachinePlace& place : places) {
    scores.push_back(place.score);
    mean.unseen += place.unseen / count;
    mean.unseen_degrees = std::min(mean.unseen_degrees, place.unseen_degrees);
    mean.common += place.common / count;
    mean.common_variance += place.common_variance / (count * count);
  }
  mean.score = mean_score(scores);
  return mean;
}

std::set<std::string> gpus_of(const std::vector<std::string>& labels) {
  std::set<std::string> gpus;
  for (const std::string& label : labels) gpus.insert(results::uuid_in(label));
  return gpus;
}

}  // namespace

void SideScores::apply_scores(TwoSides& sides, const std::string& id,
                              const std::vector<std::string>& labels_before,
                              const std::vector<std::string>& labels_after) const {
  sides.same_code = same_code.contains(id);
  const std::set<std::string> old_gpus = gpus_of(labels_before);
  sides.gpus_before_differ = old_gpus.size() > 1;
  const std::set<std::string> gpus = gpus_of(labels_after);
  sides.on_new_gpu = !std::includes(old_gpus.begin(), old_gpus.end(), gpus.begin(), gpus.end());
  const auto places_after = looked_up(after, labels_after);
  if (controls.empty() || !places_after || places_after->size() != sides.after.size() ||
      labels_before.size() != sides.before.size()) {
    return;
  }
  // Sessions of a part of the suite that cannot be placed are left out.
  std::vector<ProcessFigures> placed;
  std::vector<MachineScore> scores;
  std::vector<double> common;
  for (std::size_t i = 0; i < labels_before.size(); ++i) {
    const auto place = before.find(labels_before[i]);
    if (place == before.end()) continue;
    placed.push_back(sides.before[i]);
    scores.push_back(place->second.score);
    common.push_back(place->second.common);
  }
  if (placed.empty() || (placed.size() < 2 && placed.size() < sides.before.size())) return;
  sides.before = std::move(placed);
  sides.scores_before = std::move(scores);
  sides.common_before = std::move(common);
  sides.unseen_before = unseen_before;
  sides.there = mean_place(*places_after);
  sides.score_noise = noise;
}

MachineDistance distance_of(const SideScores& scores) {
  if (scores.before.empty() || scores.after.empty()) return {};
  const MachinePlace there = mean_place(all_of(scores.before));
  const MachinePlace here = mean_place(all_of(scores.after));
  MachineDistance apart;
  apart.common = here.common - there.common;
  apart.distance = std::abs(apart.common);
  apart.variance = here.common_variance;
  for (std::size_t i = 0; i < there.score.size(); ++i) {
    apart.distance = std::hypot(apart.distance, here.score[i] - there.score[i]);
    apart.variance += scores.noise[i];
  }
  apart.unseen = std::sqrt(std::max(0.0, here.unseen - scores.unseen_before));
  return apart;
}

std::string why_machine_is_too_far(const SideScores& scores, double limit) {
  const double common = distance_of(scores).common;
  if (std::abs(common) <= std::log1p(limit)) return {};
  return fmt::format(
      "by {} this machine is {:.2f} % {} than the other side's, beyond the {:g} % of "
      "same_code_limit: look at its clocks and at what else runs on it",
      counted(scores.controls.size(), "control"), 100 * std::expm1(std::abs(common)),
      common > 0 ? "slower" : "faster", 100 * limit);
}

SideScores side_scores(const Results& before, const Results& after, const Policy& policy,
                       const CodeIdentities& identities, bool treat_as_changed) {
  SideScores scores;
  const auto old_results = before.by_id();
  std::vector<Control> controls;
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto found = old_results.find(benchmark.id);
    if (found == old_results.end()) continue;
    const BenchmarkResult& old_result = *found->second;
    const CodeIdentity& identity = identities.at(benchmark.id);
    const bool other = treat_as_changed || identity.different();
    const bool same = !treat_as_changed && identity.same_instructions_and_counters();
    // Of what is no baseline, a time that moved is not excused by the same code.
    if (same && before.is_baseline) scores.same_code.insert(benchmark.id);
    const bool named = matches_any(policy.controls, benchmark.id);
    if (named && identity.different()) scores.changed.push_back(benchmark.id);
    if (!same && !(named && !other)) continue;
    const Rule rule =
        policy.rule_for(benchmark.id, results::kTimeMetric,
                        {.device = after.session ? after.session->device.key : std::string()});
    if (auto control = control_of(old_result, benchmark, rule.resolution, named)) {
      controls.push_back(std::move(*control));
    }
  }
  score_sessions(std::move(controls), scores);
  return scores;
}

}  // namespace warpgauge::ci
