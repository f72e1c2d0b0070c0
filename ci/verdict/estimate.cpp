// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "ci/statistics/suite_model.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/filter_scope.hpp"
#include "ci/verdict/identity/control_benchmarks.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "ci/verdict/metrics/metric_basis.hpp"
#include "ci/verdict/metrics/narrowed_floor.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "ci/verdict/text/notes.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Status;

std::string failure(const results::Outcome& outcome) {
  return outcome.message.empty()
             ? to_string(outcome.status)
             : fmt::format("{}: {}", to_string(outcome.status), outcome.message);
}

// Empty: nobody else computed on the device while either side was timed.
std::string why_not_alone(const BenchmarkResult& before, const BenchmarkResult& after) {
  std::set<std::string> others = after.other_processes;
  others.insert(before.other_processes.begin(), before.other_processes.end());
  if (others.empty()) return "";
  constexpr std::size_t kMostNamed = 3;
  return fmt::format("{} computed on the GPU while it was timed: end that, and measure again",
                     some_of({others.begin(), others.end()}, kMostNamed));
}

// A metric that both sides have figures enough of for statistics.
struct Test {
  std::size_t benchmark;  // its place among the estimates
  std::size_t metric;
  const Metric* before;
  const Metric* after;
};

class Estimator {
 public:
  Estimator(const Policy& policy, const ComparisonTerms& terms, Origin origin, SideScores scores,
            CodeIdentities identities, SameCode same_code)
      : policy_(policy),
        design_(terms.design),
        time_alone_(terms.time_alone),
        origin_(std::move(origin)),
        scores_(std::move(scores)),
        identities_(std::move(identities)),
        same_code_(std::move(same_code)) {}

  void check_gated(const Results& results) const {
    for (const BenchmarkResult& benchmark : results.benchmarks) {
      if (benchmark.outcome.status != Status::ok) continue;
      for (const auto& [name, metric] : benchmark.metrics) {
        if (metric.problem.empty() || !rule_for(benchmark.id, name).gated()) continue;
        throw Error(kExitNotMeasured,
                    fmt::format("{}: {}: {} {}; measure again, or set gate = false for it in the "
                                "policy, with a reason",
                                results.name, benchmark.id, name, metric.problem));
      }
    }
  }

  void take_programs(ProgramSides programs) { programs_ = std::move(programs); }

  // At least one side.
  void add(const BenchmarkResult* before, const BenchmarkResult* after) {
    BenchmarkEstimate& benchmark = benchmarks_.emplace_back();
    benchmark.id = (after != nullptr ? after : before)->id;
    benchmark.critical = policy_.is_critical(benchmark.id);
    const auto set = [&](Presence presence, std::string message) {
      benchmark.presence = presence;
      benchmark.message = std::move(message);
    };
    if (before != nullptr && after != nullptr) benchmark.code = identities_.at(benchmark.id);
    benchmark.evidence = same_code_.same.contains(benchmark.id)    ? CodeEvidence::same
                         : same_code_.timed.contains(benchmark.id) ? CodeEvidence::timed
                         : same_code_.apart.contains(benchmark.id) ? CodeEvidence::apart
                                                                   : CodeEvidence::none;
    if (std::string why = programs_.why_left_to_others(before, after); !why.empty()) {
      set(Presence::left_to_range, std::move(why));
    } else if (after == nullptr) {
      set(Presence::missing, design_ == Design::interleaved
                                 ? "in the other build, but not in the new results"
                                 : "in the baseline, but not in the new results");
    } else if (after->outcome.status != Status::ok) {
      set(Presence::failed, failure(after->outcome));
    } else if (after->metrics.empty() && after->not_timed.empty()) {
      const bool was_measured = before != nullptr && !before->metrics.empty();
      set(before == nullptr || was_measured ? Presence::not_measured : Presence::nowhere_measured,
          fmt::format("{}{}", was_measured ? "" : "nothing was measured: ",
                      why_nothing_measured(before, *after)));
    } else if (before == nullptr) {
      set(Presence::without_baseline, "has no baseline");
    } else if (before->outcome.status != Status::ok) {
      set(Presence::without_baseline,
          "has nothing to compare with, it failed before: " + failure(before->outcome));
    } else {
      benchmark.no_verdict_on_time = why_not_alone(*before, *after);
      add_metrics(*before, *after);
    }
  }

  // Once all benchmarks are added: they say of each other how much sessions differ.
  [[nodiscard]] std::vector<BenchmarkEstimate> estimate_all() {
    std::vector<TwoSides> suite;
    for (const Test& test : tests_) {
      MetricEstimate& metric = metric_of(test);
      TwoSides& sides = suite.emplace_back();
      sides.metric = metric.metric;
      sides.before = judged_figures(*test.before, metric);
      sides.after = judged_figures(*test.after, metric);
      if (design_ == Design::interleaved) narrow(metric.rule, sides);
      take_floors(metric.rule, sides);
      sides.by_processes_alone =
          design_ == Design::interleaved || origin_.program == Origin::Program::plain;
      sides.of_single_processes =
          origin_.program == Origin::Program::plain && origin_.clock == Clock::cpu;
      if (results::is_of_timestamps(sides.metric)) {
        scores_.apply_scores(sides, benchmarks_[test.benchmark].id, test.before->labels,
                             test.after->labels);
      }
    }
    const std::vector<SuiteEstimate> estimates = estimate_suite(suite, policy_.beta);
    for (std::size_t i = 0; i < tests_.size(); ++i) keep(estimates[i], metric_of(tests_[i]));
    return std::move(benchmarks_);
  }

 private:
  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric) const {
    Rule rule = ci::rule_for(benchmark, metric, policy_, origin_, design_);
    if (programs_.only_shows(benchmark, metric)) rule.metric_class = MetricClass::shown;
    if (time_alone_ && metric != results::kTimeMetric) rule.metric_class = MetricClass::shown;
    return rule;
  }

  MetricEstimate& metric_of(const Test& test) {
    return benchmarks_[test.benchmark].metrics[test.metric];
  }

  // That of a metric which the baseline is gated by, if one is recorded: that an emulated device
  // has no clock says little where its counters are missed.
  [[nodiscard]] std::string why_nothing_measured(const BenchmarkResult* before,
                                                 const BenchmarkResult& after) const {
    std::vector<std::string> missed;
    if (before != nullptr) {
      for (const auto& [name, metric] : before->metrics) {
        if (rule_for(before->id, name).gated()) missed.push_back(name);
      }
    }
    missed.emplace_back(results::kTimeMetric);
    for (const std::string& metric : missed) {
      const auto* const reason = after.why_not_measured(metric);
      if (reason != nullptr) return reason->second;
    }
    return kAbsent;
  }

  void add_metrics(const BenchmarkResult& before, const BenchmarkResult& after) {
    BenchmarkEstimate& benchmark = benchmarks_.back();
    std::set<std::string> names;
    for (const BenchmarkResult* side : {&before, &after}) {
      for (const auto& [name, metric] : side->metrics) names.insert(name);
    }
    if (!after.not_timed.empty()) names.insert(results::kTimeMetric);
    for (const std::string& name : names) {
      benchmark.metrics.push_back(metric_estimate(name, rule_for(after.id, name),
                                                  {before, after, benchmark.code}, origin_));
      judge_by_code(after, benchmark.metrics.back());
      if (benchmark.metrics.back().basis != Basis::statistics) continue;
      tests_.push_back({benchmarks_.size() - 1, benchmark.metrics.size() - 1, before.find(name),
                        after.find(name)});
    }
    for (const CodeMetric& each : code_metrics(before, after, origin_.compute_capability)) {
      if (names.contains(each.metric)) continue;  // a metric of one's own
      benchmark.metrics.push_back(metric_estimate(each, rule_for(after.id, each.metric)));
    }
  }

  // Time that was left unmeasured since the code was the baseline's, which may have been another
  // baseline than this one.
  void judge_by_code(const BenchmarkResult& after, MetricEstimate& time) const {
    const bool left_out = results::is_of_timestamps(time.metric) && time.rule.gated() &&
                          after.find(time.metric) == nullptr && !after.not_timed.empty();
    if (!left_out) return;
    time.not_compared.clear();
    const BenchmarkEstimate& benchmark = benchmarks_.back();
    if (benchmark.evidence == CodeEvidence::same) {
      time.basis = Basis::same_code;
      time.why_no_figures = after.not_timed;
      return;
    }
    time.basis = Basis::not_measured;
    const std::string other = benchmark.code.not_same_because();
    const std::string why = !other.empty() ? other
                            : benchmark.evidence == CodeEvidence::apart
                                ? "its sentinel is too far off"
                                : "the environment is another";
    time.why_no_figures = fmt::format(
        "was not timed ({}), but against this side {}; measure with --all", after.not_timed, why);
  }

  void keep(const SuiteEstimate& result, MetricEstimate& metric) const {
    const Estimate& estimate = result.estimate;
    metric.before = estimate.before;
    metric.after = estimate.after;
    metric.low = estimate.low;
    metric.high = estimate.high;
    metric.p = std::min(estimate.p_greater, estimate.p_less);
    metric.floor = estimate.floor;
    Estimate alone = estimate;
    alone.p_greater = result.p_greater_alone;
    alone.p_less = result.p_less_alone;
    metric.evidence = Evidence{alone,
                               estimate.p_greater,
                               estimate.p_less,
                               tests_.size(),
                               result.own_spread,
                               result.spread,
                               policy_.alpha,
                               policy_.beta,
                               result.machine_shift,
                               std::sqrt(result.machine_variance),
                               result.single_process_deviation,
                               in_turns(origin_)};
  }

  const Policy& policy_;
  Design design_;
  bool time_alone_;
  Origin origin_;
  SideScores scores_;
  CodeIdentities identities_;
  SameCode same_code_;
  ProgramSides programs_;
  std::vector<BenchmarkEstimate> benchmarks_;
  std::vector<Test> tests_;
};

// What the two sides' environments allow to compare.
void compare_environments(const Results& before, const Results& after, const ComparisonTerms& terms,
                          Estimates& estimates) {
  if (!before.session || !after.session) {
    estimates.notes.emplace_back(
        "repetitions within one process are not independent; for a verdict to rely on, measure in "
        "fresh processes");
    return;
  }
  if (const auto other = different_devices(*before.session, *after.session); !other.empty()) {
    throw Error(kExitNoVerdict, fmt::format("{} and {}: {}; measure both on one device",
                                            before.name, after.name, other));
  }
  refuse_other_program(before, after);
  auto comparable = comparability(*before.session, *after.session, terms.compares_builds);
  estimates.no_verdict_on_time = std::move(comparable.no_verdict_on_time);
  append(std::move(comparable.notes), estimates.notes);
}

// All benchmarks of both sides, less what a side's own filter left out.
void add_benchmarks(const Results& before, const Results& after, Estimator& estimator,
                    std::vector<std::string>& notes) {
  auto only_before = before.by_id();
  FilterScope scope_before(before);
  FilterScope scope_after(after);
  bool any = false;
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto node = only_before.extract(benchmark.id);
    const bool failed = benchmark.outcome.status != Status::ok;
    if (!node && !failed && !scope_before.includes(benchmark.id)) continue;
    estimator.add(node ? node.mapped() : nullptr, &benchmark);
    any = true;
  }
  for (const auto& [id, benchmark] : only_before) {
    if (!scope_after.includes(benchmark->id)) continue;
    estimator.add(benchmark, nullptr);
    any = true;
  }
  for (std::string note : {scope_before.note(after), scope_after.note(before)}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  if (!any && (scope_before.left_any_out() || scope_after.left_any_out())) {
    throw Error(kExitNoVerdict,
                fmt::format("{} and {} have no benchmark in common: a --filter they were measured "
                            "with left out those of the other; measure both alike",
                            before.name, after.name));
  }
}

Estimates estimate_alike(const Results& before, const Results& after, const Policy& policy,
                         const ComparisonTerms& terms, CodeIdentities identities) {
  Estimates estimates;
  estimates.against_baseline = before.is_baseline;
  estimates.threshold = terms.threshold;
  estimates.treat_as_changed = terms.treat_as_changed;
  estimates.counter_limit = policy.counter_limit;
  estimates.policy = policy.name;
  estimates.notes = first_notes(after, policy);
  compare_environments(before, after, terms, estimates);
  if (terms.design == Design::apart) append(notes_on_sessions(before, after), estimates.notes);

  const bool recorded = before.session && after.session;
  SideScores scores;
  // Hot on one side and cold on the other, times say nothing of machines nor of kernels.
  const bool alike = !recorded || !hot_and_cold(*before.session, *after.session);
  if (terms.design == Design::apart && alike && recorded) {
    scores = side_scores(before, after, policy, identities, terms.treat_as_changed);
  }
  estimates.machine_is_too_far = why_machine_is_too_far(scores, policy.same_code_limit);
  append(notes_on_machine(scores, before.is_baseline, estimates.machine_is_too_far),
         estimates.notes);
  SameCode evidence;
  if (!terms.treat_as_changed) evidence = same_code(before, after, policy, identities);
  const Untimed left = untimed(before, after, evidence);
  append(notes_on_same_code(after, identities, evidence, left), estimates.notes);
  if (auto late = age_shortfall(left, policy)) estimates.shortfalls.push_back(*std::move(late));
  Origin origin = origin_of(before, after, policy);
  append(notes_on_clock(policy, origin), estimates.notes);
  Estimator estimator(policy, terms, std::move(origin), std::move(scores), std::move(identities),
                      std::move(evidence));
  if (is_of_program(after)) estimator.take_programs({before, after, policy});
  for (const Results* side : {&before, &after}) estimator.check_gated(*side);
  add_benchmarks(before, after, estimator, estimates.notes);
  estimates.benchmarks = estimator.estimate_all();
  append(notes_on_processes(estimates.benchmarks, estimates.against_baseline), estimates.notes);
  if (terms.threshold) {
    estimates.notes.push_back(note_on_threshold(estimates.benchmarks, *terms.threshold));
  }
  if (terms.design == Design::apart && recorded) {
    std::string note = note_on_single_sessions(estimates.benchmarks, estimates.against_baseline);
    if (!note.empty()) estimates.notes.push_back(std::move(note));
  }
  if (alike) {
    append(notes_on_common_shifts(estimates.benchmarks,
                                  recorded ? listed(differences(*before.session, *after.session,
                                                                results::Varies::between_devices))
                                           : "plain files do not say"),
           estimates.notes);
  }
  return estimates;
}

}  // namespace

Estimates estimate(const Results& before, const Results& measured, const Policy& policy,
                   const ComparisonTerms& terms) {
  if (!is_of_program(measured)) {
    return estimate_alike(before, measured, policy, terms,
                          code_identities(before, measured, policy, terms));
  }
  // Identity is no evidence against what a program's clock shows: what is not seen, such as data,
  // differs. It only decides what the clock leaves open.
  ComparisonTerms of_programs = terms;
  of_programs.treat_as_changed = true;
  ProgramMatch match = match_programs(before, measured);
  const Results& after = match.after ? *match.after : measured;
  CodeIdentities identities = code_identities(match.before, after, policy, of_programs);
  std::set<std::string> same;
  if (!terms.treat_as_changed) same = same_in_program(match.before, after, identities, policy);
  Estimates estimates =
      estimate_alike(match.before, after, policy, of_programs, std::move(identities));
  append(notes_on_match(match), estimates.notes);
  estimates.added_in_program = added_in_program(match.before, after, same);
  estimates.same_in_program = std::move(same);
  estimates.match = std::move(match);
  return estimates;
}

Estimates estimate_without_baseline(const std::string& reason, const Results& after,
                                    const Policy& policy) {
  Estimates estimates;
  estimates.no_baseline = reason;
  estimates.policy = policy.name;
  estimates.notes = first_notes(after, policy);
  append(notes_on_new_modes(after, policy), estimates.notes);
  Estimator estimator(policy, {}, origin_of(after.session), {}, {}, {});
  estimator.check_gated(after);
  for (const BenchmarkResult& benchmark : after.benchmarks) estimator.add(nullptr, &benchmark);
  estimates.benchmarks = estimator.estimate_all();
  return estimates;
}

}  // namespace warpgauge::ci
