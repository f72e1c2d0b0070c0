// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "ci/statistics/process_pattern.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utc_time.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "ci/verdict/program/program_match.hpp"
#include "ci/verdict/text/odd_processes.hpp"

namespace warpgauge::ci {

using results::BenchmarkResult;
using results::Results;

std::vector<std::string> notes_of_benchmarks(const Results& results) {
  std::vector<std::string> notes;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    for (const std::string& remark : benchmark.remarks) {
      notes.push_back(fmt::format("{}: {}", benchmark.id, remark));
    }
  }
  return notes;
}

namespace {

// Of all sessions that figures of it are of. An emulator's stand at no session of a baseline, whose
// own is the newest.
std::set<std::string> labels_of(const Results& results) {
  std::set<std::string> labels;
  if (results.session->dies.empty()) labels.insert(label(*results.session));
  for (const results::Die& die : results.session->dies) labels.insert(label(die));
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    for (const auto& [name, metric] : benchmark.metrics) {
      // One that was approved twice has " (2)" at its end.
      for (const std::string& each : metric.labels) labels.insert(each.substr(0, each.find(" (")));
    }
  }
  // Others' files may not say when they were measured.
  std::erase_if(labels, [](const std::string& each) { return each.empty() || each[0] == ' '; });
  return labels;
}

// As far as both have them: a baseline keeps none of what is only shown.
bool same_figures(const BenchmarkResult& a, const BenchmarkResult& b) {
  return std::all_of(b.metrics.begin(), b.metrics.end(), [&](const auto& each) {
    const results::Metric* const other = a.find(each.first);
    return other == nullptr || other->figures() == each.second.figures();
  });
}

// Machine code is read of no device that a label could name, and of two builds within one second.
bool may_be_one_session(const Results& before, const Results& after) {
  if (after.session->device.kind != results::DeviceKind::machine_code) return true;
  return std::all_of(
      after.benchmarks.begin(), after.benchmarks.end(), [&](const BenchmarkResult& now) {
        const BenchmarkResult* const old = before.find(now.id);
        return old != nullptr && old->machine_code == now.machine_code && same_figures(*old, now);
      });
}

// "2026-11-21T04:19:54Z", or what else stands before the blank.
std::string time_in(const std::string& label) { return label.substr(0, label.find(' ')); }

}  // namespace

std::vector<std::string> notes_on_sessions(const Results& before, const Results& after) {
  if (!before.session || !after.session) return {};
  const auto earlier = labels_of(before);
  const std::string whose = before.is_baseline ? "the baseline" : before.name;
  const bool may_be_one = may_be_one_session(before, after);
  for (const std::string& label : labels_of(after)) {
    if (!may_be_one || !earlier.contains(label)) continue;
    return {
        fmt::format("{} is the session of {} that {} was made of: it cannot differ from itself "
                    "unless it was edited, and says nothing of a change",
                    after.name, time_in(label), whose)};
  }
  std::string newest = utc_seconds(before.session->created) ? before.session->created : "";
  for (const std::string& label : earlier) {
    if (utc_seconds(time_in(label))) newest = std::max(newest, time_in(label));
  }
  const std::string& created = after.session->created;
  if (newest.empty() || !utc_seconds(created) || created >= newest) return {};
  return {
      fmt::format("{} is of {}, before the newest session of {} ({}): it cannot say what changed "
                  "since",
                  after.name, created, whose, newest)};
}

std::string note_on_threshold(const std::vector<BenchmarkEstimate>& benchmarks, double threshold) {
  std::size_t judged = 0;
  for (const BenchmarkEstimate& benchmark : benchmarks) {
    judged += static_cast<std::size_t>(
        std::count_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                      [](const auto& metric) { return metric.basis == Basis::one_figure; }));
  }
  return fmt::format(
      "{} by threshold of {:g} %, no statistics; figures that were repeated are judged by "
      "statistics",
      counted(judged, "metric"), 100 * threshold);
}

std::vector<std::string> notes_on_common_shifts(const std::vector<BenchmarkEstimate>& benchmarks,
                                                const std::string& what_differs) {
  std::map<std::string, std::vector<Estimate>> estimates;
  for (const BenchmarkEstimate& benchmark : benchmarks) {
    for (const MetricEstimate& metric : benchmark.metrics) {
      if (metric.evidence) estimates[metric.metric].push_back(metric.evidence->estimate);
    }
  }
  std::vector<std::string> notes;
  for (const auto& [metric, suite] : estimates) {
    const auto shift = common_shift(suite);
    if (!shift) continue;
    notes.push_back(fmt::format(
        "{} is {} in {} of {} benchmarks together, {:+.2f} % in the median, so look first at "
        "what they share: code that all of them run, or the machine. What differs between the two "
        "sides: {}. All verdicts stand",
        metric, shift->greater ? "greater" : "less", shift->moved, suite.size(),
        100 * (shift->median_ratio - 1), what_differs));
  }
  return notes;
}

std::vector<std::string> notes_on_machine(const SideScores& scores, bool against_baseline,
                                          const std::string& too_far) {
  std::vector<std::string> notes;
  for (const std::string& id : scores.changed) {
    notes.push_back(
        fmt::format("{} is a control, but its machine code or its launch is another now: it says "
                    "nothing of the machine",
                    id));
  }
  const MachineDistance apart = distance_of(scores);
  const std::string by = counted(scores.controls.size(), "control");
  const char* others = against_baseline ? "those of the baseline" : "that of the other results";
  // Two standard deviations: what chance alone seldom shows.
  if (!too_far.empty()) {
    notes.push_back(too_far);
  } else if (apart.distance > 0 && apart.distance * apart.distance > 4 * apart.variance) {
    notes.push_back(
        fmt::format("this machine differs by {:.2f} % from {}, by {}; times are compared as if it "
                    "did not",
                    100 * std::expm1(apart.distance), others, by));
  }
  constexpr double kUnseenShown = 0.003;  // less is not worth a reader's time
  if (apart.unseen >= kUnseenShown) {
    notes.push_back(fmt::format(
        "this machine differs by {:.2f} % in a way that {} does, by {}{}", 100 * apart.unseen,
        against_baseline ? "none of the baseline's" : "that of the other results never", by,
        against_baseline ? ": approve sessions of it" : ""));
  }
  return notes;
}

std::vector<std::string> notes_on_same_code(const results::Results& after,
                                            const CodeIdentities& identities,
                                            const SameCode& same_code, const Untimed& untimed) {
  std::map<std::string, std::size_t> timed;  // by reason
  for (const results::BenchmarkResult& each : after.benchmarks) {
    const auto identity = identities.find(each.id);
    if (!each.not_timed.empty() || !each.sentinel_ns || identity == identities.end()) continue;
    const std::string reason = identity->second.not_same_because();
    if (same_code.apart.contains(each.id)) {
      ++timed["same code, but another time"];
    } else if (!reason.empty()) {
      ++timed[reason];
    }
  }
  if (untimed.benchmarks == 0) return {};
  std::vector<std::string> reasons;
  reasons.reserve(timed.size());
  for (const auto& [reason, count] : timed) reasons.push_back(fmt::format("{} {}", count, reason));
  std::vector<std::string> notes{fmt::format(
      "{} not timed: machine code, launches, input and counters are as before, and so is "
      "the time at a short look; --all times them{}{}{}",
      untimed.benchmarks == 1 ? "1 benchmark was"
                              : fmt::format("{} benchmarks were", untimed.benchmarks),
      untimed.since.empty() ? ""
                            : fmt::format("; the last time was on {}, {} ago",
                                          untimed.since.substr(0, untimed.since.find('T')),
                                          counted(static_cast<std::size_t>(untimed.days), "day")),
      reasons.empty() ? "" : "; timed: ", fmt::join(reasons, ", "))};
  constexpr double kShown = 0.01;  // less is usual between dies
  if (std::abs(same_code.typical_ratio - 1) >= kShown) {
    notes.push_back(fmt::format("the same code takes {:+.1f} % on this machine at a short look",
                                100 * (same_code.typical_ratio - 1)));
  }
  return notes;
}

std::vector<std::string> notes_on_processes(const std::vector<BenchmarkEstimate>& benchmarks,
                                            bool against_baseline) {
  std::vector<std::string> found;
  std::string remedy;
  for (const BenchmarkEstimate& benchmark : benchmarks) {
    for (const MetricEstimate& metric : benchmark.metrics) {
      if (metric.basis != Basis::statistics) continue;
      const auto outlier = hiding_outlier(metric, against_baseline);
      if (!outlier) continue;
      found.push_back(fmt::format("{}: {}", benchmark.id, outlier->what));
      remedy = outlier->remedy;
    }
  }
  if (found.empty()) return {};
  constexpr std::size_t kMostNamed = 3;
  return {fmt::format("a change may hide behind an outlier: {}; {}",
                      some_of(found, kMostNamed, "; "), remedy)};
}

std::vector<std::string> notes_on_new_modes(const Results& after, const Policy& policy) {
  const Origin origin = origin_of(after.session);
  // What others do to a processor comes and goes.
  if (origin.cpu_time) return {};
  const Results none;
  const ProgramSides program(none, after, policy);
  std::vector<std::string> found;
  for (const BenchmarkResult& each : after.benchmarks) {
    const results::Metric* const time = each.find(results::kTimeMetric);
    if (time == nullptr || program.only_shows(each.id, results::kTimeMetric)) continue;
    const Rule rule = rule_for(each.id, results::kTimeMetric, policy, origin, Design::apart);
    if (!rule.gated()) continue;
    const std::vector<double> figures = time->figures();
    const double floor = std::max(rule.relative_floor, rule.absolute_floor / *time->mean());
    const auto pattern = process_pattern(figures, floor);
    if (!pattern || pattern->is != Pattern::two_modes) continue;
    found.push_back(fmt::format("{} ({} and {})", each.id,
                                readable_figure(results::kTimeMetric, pattern->low),
                                readable_figure(results::kTimeMetric, pattern->high)));
  }
  if (found.empty()) return {};
  constexpr std::size_t kMostNamed = 3;
  return {
      fmt::format("processes have two modes, between which a slowdown may hide: {}; remove "
                  "what makes the modes before you approve",
                  some_of(found, kMostNamed))};
}

std::vector<std::string> notes_on_code(const Estimates& estimates,
                                       const std::vector<BenchmarkVerdict>& verdicts) {
  std::map<std::pair<std::string, std::string>, std::size_t> other_compilations;
  std::size_t untold = 0;
  std::size_t unread = 0;
  std::set<std::string> launched_differently;
  std::set<std::string> new_architectures;
  for (const BenchmarkEstimate& benchmark : estimates.benchmarks) {
    const MachineCodeIdentity& code = benchmark.code.machine_code;
    const LaunchIdentity& launches = benchmark.code.launches;
    if (launches.is == Identity::different) launched_differently.insert(benchmark.id);
    const bool gated =
        std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(),
                    [](const MetricEstimate& metric) { return metric.rule.gated(); });
    untold += gated && estimates.against_baseline && !launches.known_before && launches.known_after;
    unread += benchmark.presence == Presence::both_sides && estimates.against_baseline &&
              !code.compiled_before.empty() && code.compiled_after.empty();
    new_architectures.insert(code.new_architectures.begin(), code.new_architectures.end());
    if (!code.compiled_alike()) ++other_compilations[{code.compiled_before, code.compiled_after}];
  }
  std::set<std::string> unmoved;
  for (const BenchmarkVerdict& benchmark : verdicts) {
    const bool moved = std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), has_moved);
    if (launched_differently.contains(benchmark.id) && !moved) unmoved.insert(benchmark.id);
  }
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> notes;
  notes.reserve(other_compilations.size());
  for (const auto& [sides, count] : other_compilations) {
    notes.push_back(
        fmt::format("machine code of {} is of {}, before of {}: what kernels take is not compared; "
                    "approve again to compare it from here on",
                    counted(count, "benchmark"), sides.second, sides.first));
  }
  if (!new_architectures.empty()) {
    notes.push_back(fmt::format(
        "machine code for {} is new: it is judged from the next approval on, and what was approved "
        "as before",
        fmt::join(new_architectures, ", ")));
  }
  if (!unmoved.empty()) {
    notes.push_back(fmt::format("launched differently, though no gated figure moved: {}",
                                some_of({unmoved.begin(), unmoved.end()}, kMostNamed)));
  }
  if (unread > 0) {
    notes.push_back(fmt::format(
        "the machine code of {} was not read: registers, spills and what else kernels take are not "
        "compared; give --machine-code with what nvcc built of these kernels",
        counted(unread, "benchmark")));
  }
  if (untold > 0) {
    notes.push_back(
        fmt::format("the baseline does not say how {} launched: approve again to compare it from "
                    "here on",
                    untold == 1 ? "1 benchmark is" : fmt::format("{} benchmarks are", untold)));
  }
  return notes;
}

std::string note_on_single_sessions(const std::vector<BenchmarkEstimate>& benchmarks,
                                    bool against_baseline) {
  const auto is_assumed = [](const MetricEstimate& metric) {
    return metric.evidence && !(metric.evidence->own_spread.degrees_of_freedom > 0);
  };
  const auto any_assumed = [&](const BenchmarkEstimate& each) {
    return std::any_of(each.metrics.begin(), each.metrics.end(), is_assumed);
  };
  const auto count =
      static_cast<std::size_t>(std::count_if(benchmarks.begin(), benchmarks.end(), any_assumed));
  if (count == 0) return {};
  return fmt::format(
      "one session to compare with for {}: how far sessions and devices differ is assumed as it "
      "was measured on others{}",
      counted(count, "benchmark"),
      against_baseline ? "; measure what was approved again, and approve that, too, by warpgauge "
                         "approve: three sessions tell it"
                       : "");
}

namespace {

// Where no code changed nothing rests on a clock, and nobody would hear of it.
void note_others_on_the_gpu(const Results& after, std::vector<std::string>& notes) {
  std::set<std::string> others;
  std::size_t beside = 0;
  for (const BenchmarkResult& each : after.benchmarks) {
    others.insert(each.other_processes.begin(), each.other_processes.end());
    if (!each.other_processes.empty()) ++beside;
  }
  if (others.empty()) return;
  constexpr std::size_t kMostNamed = 3;
  notes.push_back(
      fmt::format("{} computed on the GPU while {} {} measured: their times say little; end that, "
                  "and measure again before these are approved",
                  some_of({others.begin(), others.end()}, kMostNamed), counted(beside, "benchmark"),
                  beside == 1 ? "was" : "were"));
}

}  // namespace

std::vector<std::string> first_notes(const Results& after, const Policy& policy) {
  std::vector<std::string> notes = policy.notes;
  if (after.session && after.session->hot) {
    notes.emplace_back("times are hot: the caches were as a kernel's last launch left them");
  }
  note_others_on_the_gpu(after, notes);
  return notes;
}

}  // namespace warpgauge::ci
