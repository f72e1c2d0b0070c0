// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ci/statistics/statistics.hpp"
#include "ci/statistics/suite_model.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/attribution.hpp"
#include "ci/verdict/code_identity.hpp"
#include "ci/verdict/control_benchmarks.hpp"
#include "ci/verdict/line_attribution.hpp"
#include "ci/verdict/notes.hpp"
#include "ci/verdict/roofline.hpp"
#include "profiling/machine_code/resources.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Status;

std::size_t figures(const Metric& metric) {
  std::size_t count = 0;
  for (const auto& session : metric.sessions) count += session.size();
  return count;
}

double first(const Metric& metric) { return metric.sessions.front().front(); }

const Metric* find(const BenchmarkResult& result, const std::string& metric) {
  const auto found = result.metrics.find(metric);
  return found == result.metrics.end() || figures(found->second) == 0 ? nullptr : &found->second;
}

// Over all processes of all sessions.
double mean(const Metric& metric) {
  double sum = 0;
  for (const auto& session : metric.sessions) {
    sum = std::accumulate(session.begin(), session.end(), sum);
  }
  return sum / static_cast<double>(figures(metric));
}

constexpr const char* kAbsent = "absent from the new results";

std::optional<std::string> recorded_reason(const BenchmarkResult& result,
                                           const std::string& metric) {
  const char* group = metric == results::kTimeMetric ? results::kTimeMetric : "counters";
  for (const std::string& name : {metric, std::string(group)}) {
    const auto found = result.not_measured.find(name);
    if (found != result.not_measured.end()) return found->second;
  }
  return std::nullopt;
}

std::string why_not_measured(const BenchmarkResult& result, const std::string& metric) {
  return recorded_reason(result, metric).value_or(kAbsent);
}

// A statistical metric that both sides have, waiting for what only the whole suite can say.
struct Pending {
  std::string id;
  MetricVerdict* verdict;
  Rule rule;
  const Metric* before;
  const Metric* after;
  SuiteEstimate result;
};

// Where the figures come from, as far as it matters to how they are judged.
struct Origin {
  enum class Program { warpgauge, imported, plain };
  Program program = Program::plain;
  bool gpu_clock = false;  // times are a GPU's timestamps
};

Origin origin_of(const std::optional<results::Session>& session) {
  if (!session) return {};
  if (!session->imported) return {Origin::Program::warpgauge, true};
  return {Origin::Program::imported, session->imported->gpu_clock};
}

Origin origin_of(const Results& before, const Results& after) {
  const Origin old_origin = origin_of(before.session);
  const Origin new_origin = origin_of(after.session);
  return {std::max(old_origin.program, new_origin.program),
          old_origin.gpu_clock && new_origin.gpu_clock};
}

class Comparison {
 public:
  // no_verdict: why statistical metrics get none, whatever their figures; empty: they get one.
  Comparison(const Policy& policy, Origin origin, std::string no_verdict,
             std::optional<double> threshold, SideScores scores, const CodeIdentities& identities)
      : policy_(policy),
        origin_(origin),
        no_verdict_(std::move(no_verdict)),
        threshold_(threshold),
        scores_(std::move(scores)),
        identities_(identities) {}

  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric) const {
    Rule rule = policy_.rule_for(benchmark, metric);
    if (!origin_.gpu_clock) rule.absolute_floor = rule.resolution = 0;
    return rule;
  }

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

  BenchmarkVerdict compare(const BenchmarkResult* before, const BenchmarkResult* after) {
    BenchmarkVerdict verdict;
    verdict.id = (after != nullptr ? after : before)->id;
    verdict.critical = policy_.is_critical(verdict.id);
    if (after == nullptr) {
      verdict.verdict = Verdict::missing;
      verdict.message = policy_.in_turns ? "in the other revision, but not in the new results"
                                         : "in the baseline, but not in the new results";
    } else if (after->outcome.status != Status::ok) {
      verdict.verdict = Verdict::failed;
      verdict.message = failure(after->outcome);
    } else if (after->metrics.empty()) {
      const bool was_measured = before != nullptr && !before->metrics.empty();
      verdict.verdict =
          before == nullptr || was_measured ? Verdict::not_measured : Verdict::inconclusive;
      verdict.message = fmt::format("{}{}", was_measured ? "" : "nothing was measured: ",
                                    why_nothing_measured(before, *after));
    } else if (before == nullptr) {
      verdict.verdict = Verdict::added;
      verdict.message = "has no baseline";
    } else if (before->outcome.status != Status::ok) {
      verdict.verdict = Verdict::added;
      verdict.message =
          "has nothing to compare with, it failed before: " + failure(before->outcome);
    } else {
      compare_metrics(*before, *after, verdict);
    }
    add_evidence(before, after, verdict);
    return verdict;
  }

  // To be called when all benchmarks are compared and will not move any more: sets the verdicts of
  // the statistical metrics.
  void decide_statistical(std::vector<BenchmarkVerdict>& benchmarks) {
    std::vector<Pending> tests;
    for (BenchmarkVerdict& benchmark : benchmarks) {
      for (MetricVerdict& metric : benchmark.metrics) add_test(benchmark.id, metric, tests);
    }
    estimate(tests);
    for (const Pending& test : tests) {
      keep_evidence(test, tests.size());
      estimates_[test.verdict->metric].push_back(test.result.estimate);
      decide(test);
      sessions_unknown_ = sessions_unknown_ || !(test.result.spread.degrees_of_freedom > 0);
    }
  }

  // Of all statistical verdicts, by metric.
  [[nodiscard]] const std::map<std::string, std::vector<Estimate>>& estimates() const {
    return estimates_;
  }

  // How many metrics were judged by the threshold.
  [[nodiscard]] std::size_t by_threshold() const { return by_threshold_; }

  // Whether a statistical verdict had to do without the spread between sessions.
  [[nodiscard]] bool sessions_unknown() const { return sessions_unknown_; }

 private:
  // What a reader of the verdict may want to see for himself.
  static void add_evidence(const BenchmarkResult* before, const BenchmarkResult* after,
                           BenchmarkVerdict& verdict) {
    using Codes = std::vector<results::KernelCode>;
    verdict.kernels = kernel_versions(before != nullptr ? before->machine_code : Codes(),
                                      after != nullptr ? after->machine_code : Codes());
    if (before != nullptr) {
      verdict.work = before->work;
      verdict.samples_before = before->samples_ns;
      verdict.lines_before = before->lines;
    }
    if (after == nullptr) return;
    verdict.work = after->work;
    verdict.samples_after = after->samples_ns;
    verdict.lines_after = after->lines;
    verdict.not_measured = after->not_measured;
    verdict.remarks = after->remarks;
  }

  static std::vector<LabelledFigures> sessions_of(const Metric* metric) {
    std::vector<LabelledFigures> sessions;
    for (std::size_t i = 0; metric != nullptr && i < metric->sessions.size(); ++i) {
      sessions.push_back({i < metric->labels.size() ? metric->labels[i] : "", metric->sessions[i]});
    }
    return sessions;
  }

  static std::string failure(const results::Outcome& outcome) {
    return outcome.message.empty()
               ? to_string(outcome.status)
               : fmt::format("{}: {}", to_string(outcome.status), outcome.message);
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
      if (const auto reason = recorded_reason(after, metric)) return *reason;
    }
    return kAbsent;
  }

  void compare_metrics(const BenchmarkResult& before, const BenchmarkResult& after,
                       BenchmarkVerdict& verdict) {
    std::map<std::string, std::pair<const Metric*, const Metric*>> both;
    for (const auto& [name, metric] : before.metrics) both[name].first = find(before, name);
    for (const auto& [name, metric] : after.metrics) both[name].second = find(after, name);
    for (const auto& [name, sides] : both) {
      const auto [old_metric, new_metric] = sides;
      const Rule rule = rule_for(after.id, name);
      MetricVerdict& metric = verdict.metrics.emplace_back();
      metric.metric = name;
      metric.metric_class = rule.metric_class;
      metric.rule = rule;
      metric.before_sessions = sessions_of(old_metric);
      metric.after_sessions = sessions_of(new_metric);
      if (old_metric != nullptr) metric.before = figure_of(rule, *old_metric);
      if (new_metric != nullptr) metric.after = figure_of(rule, *new_metric);
      if (!rule.gated()) {
        const auto range = before.ranges.find(name);
        if (range != before.ranges.end()) metric.range = range->second;
        continue;
      }
      metric.not_compared = why_not_compared(rule, before, after, name);
      if (!metric.not_compared.empty()) continue;
      if (new_metric == nullptr) {
        metric.verdict = Verdict::not_measured;
        metric.reason = why_not_measured(after, name);
      } else if (old_metric == nullptr) {
        metric.verdict = Verdict::added;
        metric.reason = "has no baseline";
      } else if (rule.metric_class == MetricClass::exact) {
        compare_exact(rule, *old_metric, *new_metric, metric);
        if (metric.verdict == Verdict::regressed) metric.cause = find_cause(name, before, after);
      } else {
        statistical_[{after.id, name}] = {old_metric, new_metric};
      }
    }
  }

  // What may be absent is none the worse for it. Empty: both sides have it, or ought to.
  [[nodiscard]] std::string why_not_compared(const Rule& rule, const BenchmarkResult& before,
                                             const BenchmarkResult& after,
                                             const std::string& name) const {
    if (is_resource_metric(name) && !identities_.at(after.id).machine_code.compiled_alike()) {
      return "the two sides were compiled for other architectures or by other compilers";
    }
    const bool was_there = find(before, name) != nullptr;
    const bool is_there = find(after, name) != nullptr;
    if (is_there && !was_there && rule.optional) {
      return "the baseline has nothing to compare with, and the metric is optional";
    }
    if (!is_there && (!was_there || rule.optional)) {
      return fmt::format("there is nothing to compare, and {}: {}",
                         was_there ? "the metric is optional" : "the baseline has nothing either",
                         why_not_measured(after, name));
    }
    return "";
  }

  // An exact metric has one; of others the mean is the one to show.
  static double figure_of(const Rule& rule, const Metric& metric) {
    return rule.metric_class == MetricClass::exact ? first(metric) : mean(metric);
  }

  static void compare_exact(const Rule& rule, const Metric& before, const Metric& after,
                            MetricVerdict& verdict) {
    for (const auto& [metric, side] : {std::pair(&before, "before"), std::pair(&after, "now")}) {
      for (const auto& session : metric->sessions) {
        for (const double figure : session) {
          if (figure == first(*metric)) continue;
          verdict.verdict = Verdict::not_measured;
          verdict.reason = fmt::format("should be exact, but was {} and {} {}; class it as shown",
                                       first(*metric), figure, side);
          return;
        }
      }
    }
    if (first(after) == first(before)) return;
    const bool grew = first(after) > first(before);
    verdict.verdict =
        grew == (rule.better == Better::lower) ? Verdict::regressed : Verdict::improved;
  }

  [[nodiscard]] const char* remedy_for_one(bool now_is_alone) const {
    switch (origin_.program) {
      case Origin::Program::plain:
        return "repeat it (--benchmark_repetitions=5), or compare with --threshold PERCENT, which "
               "is no statistics";
      case Origin::Program::imported:
        return now_is_alone ? "samples of one process are no replicates: run it five times and "
                              "import all of the files"
                            : "samples of one process are no replicates: approve a baseline of "
                              "five files";
      case Origin::Program::warpgauge:
        break;
    }
    return now_is_alone ? "measure with more processes (--processes 5)"
                        : "approve a baseline of more processes (--processes 5)";
  }

  void without_statistics(bool now_is_alone, MetricVerdict& verdict) {
    if (!threshold_) {
      verdict.verdict = Verdict::inconclusive;
      verdict.reason =
          fmt::format("one figure says nothing about its spread; {}", remedy_for_one(now_is_alone));
      return;
    }
    ++by_threshold_;
    const double ratio = *verdict.after / *verdict.before;
    verdict.reason = fmt::format("by threshold of {:g} %, no statistics", 100 * *threshold_);
    if (!no_verdict_.empty()) {
      verdict.verdict = Verdict::inconclusive;
      verdict.reason += "; " + no_verdict_;
    } else if (ratio > 1 + *threshold_ || 1 / ratio > 1 + *threshold_) {
      verdict.verdict = (ratio > 1) == (verdict.rule.better == Better::lower) ? Verdict::regressed
                                                                              : Verdict::improved;
    }
  }

  void add_test(const std::string& id, MetricVerdict& verdict, std::vector<Pending>& tests) {
    const auto found = statistical_.find({id, verdict.metric});
    if (found == statistical_.end()) return;
    const auto& [before, after] = found->second;
    for (const Metric* metric : {before, after}) {
      for (const auto& session : metric->sessions) {
        if (std::find(session.begin(), session.end(), 0.0) == session.end()) continue;
        verdict.verdict = Verdict::inconclusive;
        verdict.reason = "is 0 in some process, which has no ratio; class it as exact or shown";
        return;
      }
    }
    if (figures(*after) < 2 || figures(*before) < 2) {
      without_statistics(figures(*after) < 2, verdict);
      return;
    }
    tests.push_back({id, &verdict, verdict.rule, before, after, {}});
  }

  void estimate(std::vector<Pending>& tests) const {
    std::vector<TwoSides> suite;
    for (const Pending& test : tests) {
      TwoSides& sides = suite.emplace_back();
      sides.metric = test.verdict->metric;
      sides.before = test.before->sessions;
      sides.after = test.after->sessions;
      sides.resolution = test.rule.resolution;
      if (sides.metric == results::kTimeMetric) {
        scores_.put_into(sides, test.id, test.before->labels, test.after->labels);
      }
    }
    const std::vector<SuiteEstimate> estimates = estimate_suite(suite, policy_.beta);
    for (std::size_t i = 0; i < tests.size(); ++i) tests[i].result = estimates[i];
  }

  void keep_evidence(const Pending& test, std::size_t tests) const {
    const SuiteEstimate& result = test.result;
    Estimate alone = result.estimate;
    alone.p_greater = result.p_greater_alone;
    alone.p_less = result.p_less_alone;
    test.verdict->evidence = Evidence{alone,
                                      result.estimate.p_greater,
                                      result.estimate.p_less,
                                      tests,
                                      result.own_spread,
                                      result.spread,
                                      policy_.alpha,
                                      policy_.beta,
                                      result.machine_shift,
                                      std::sqrt(result.machine_variance)};
  }

  // What would settle it.
  static const char* remedy(const SuiteEstimate& result) {
    if (!result.estimate.limited_by_sessions) return "measure with more processes";
    if (result.machine_variance > result.spread.variance) {
      return "the baseline has no machine like this one: approve sessions of it";
    }
    return "sessions of the baseline differ as much: approve more of them";
  }

  void decide(const Pending& test) const {
    const Estimate& estimate = test.result.estimate;
    MetricVerdict& verdict = *test.verdict;
    const double floor =
        std::max(test.rule.relative_floor,
                 test.rule.absolute_floor / std::min(estimate.before, estimate.after));
    verdict.before = estimate.before;
    verdict.after = estimate.after;
    verdict.low = estimate.low;
    verdict.high = estimate.high;
    verdict.p = std::min(estimate.p_greater, estimate.p_less);
    verdict.floor = floor;
    if (!no_verdict_.empty()) {
      verdict.verdict = Verdict::inconclusive;
      verdict.reason = fmt::format("{:+.1f} to {:+.1f} %, but {}", 100 * (estimate.low - 1),
                                   100 * (estimate.high - 1), no_verdict_);
      return;
    }
    const bool lower_is_better = test.rule.better == Better::lower;
    switch (classify(estimate, floor, policy_.alpha)) {
      case Shift::none:
        verdict.verdict = Verdict::same;
        break;
      case Shift::greater:
        verdict.verdict = lower_is_better ? Verdict::regressed : Verdict::improved;
        break;
      case Shift::less:
        verdict.verdict = lower_is_better ? Verdict::improved : Verdict::regressed;
        break;
      case Shift::unclear:
        verdict.verdict = Verdict::inconclusive;
        verdict.more_processes_help = !estimate.limited_by_sessions;
        verdict.reason = fmt::format(
            "{:+.1f} to {:+.1f} % is neither within ±{:.1f} % nor surely beyond it; {}",
            100 * (estimate.low - 1), 100 * (estimate.high - 1), 100 * floor, remedy(test.result));
        break;
    }
  }

  const Policy& policy_;
  Origin origin_;
  std::string no_verdict_;
  std::optional<double> threshold_;
  SideScores scores_;
  const CodeIdentities& identities_;
  std::size_t by_threshold_ = 0;
  bool sessions_unknown_ = false;
  std::map<std::string, std::vector<Estimate>> estimates_;
  std::map<std::pair<std::string, std::string>, std::pair<const Metric*, const Metric*>>
      statistical_;
};

std::uint64_t l2_bytes_of(const Results& results) {
  return results.session ? results.session->device.l2_bytes : 0;
}

// Which benchmarks a measurement was asked for.
class Asked {
 public:
  explicit Asked(const Results& results) : results_(results) {
    if (results.is_baseline || !results.session || results.session->filter.empty()) return;
    try {
      filter_.emplace(results.session->filter);
    } catch (const Error& error) {
      throw Error(kExitNotMeasured, fmt::format("{}: {}", results.name, error.what()));
    }
  }

  // Of a benchmark that the other side alone has: whether it could be here as well. Else it is
  // counted.
  [[nodiscard]] bool for_benchmark(const std::string& id) {
    if (!filter_ || filter_->matches(id)) return true;
    ++left_out_;
    return false;
  }

  [[nodiscard]] bool left_any_out() const { return left_out_ > 0; }

  void note_left_out(const Results& other, GateVerdict& verdict) const {
    if (left_out_ == 0) return;
    verdict.notes.push_back(fmt::format("{} was measured with --filter '{}': {} of {} {} compared",
                                        results_.name, results_.session->filter,
                                        counted(left_out_, "benchmark"), other.name,
                                        left_out_ == 1 ? "is not" : "are not"));
  }

 private:
  const Results& results_;
  std::optional<IdFilter> filter_;
  std::size_t left_out_ = 0;
};

GateVerdict headline(const std::string& before, const Results& after, const Policy& policy) {
  GateVerdict verdict;
  verdict.notes = policy.notes;
  verdict.policy = policy.name;
  verdict.before = before;
  verdict.after = after.name;
  verdict.after_session = after.session;
  if (after.session && after.session->hot) {
    verdict.notes.emplace_back(
        "times are hot: the caches were as a kernel's last launch left them");
  }
  if (after.session) verdict.device = after.session->device.name;
  verdict.ceilings = ceilings_of(after).bytes_per_second;
  return verdict;
}

}  // namespace

GateVerdict compare(const Results& before, const Results& after, const Policy& policy,
                    std::optional<double> threshold, Sessions sessions) {
  const bool apart = sessions == Sessions::apart;
  GateVerdict verdict = headline(before.name, after, policy);
  verdict.before_session = before.session;
  results::Comparability circumstances;
  if (before.session && after.session) {
    const std::string other = different_devices(*before.session, *after.session);
    if (!other.empty()) {
      throw Error(kExitNoVerdict, fmt::format("{} and {}: {}; measure both on one device",
                                              before.name, after.name, other));
    }
    circumstances = comparability(*before.session, *after.session);
    verdict.notes.insert(verdict.notes.end(), circumstances.notes.begin(),
                         circumstances.notes.end());
  } else {
    verdict.notes.emplace_back(
        "repetitions within one process are not independent; for a verdict to rely on, measure in "
        "fresh processes");
  }

  const CodeIdentities identities = code_identities(before, after, policy);
  SideScores scores;
  // Hot on one side and cold on the other, times say nothing of machines nor of kernels.
  const bool alike =
      !before.session || !after.session || !hot_and_cold(*before.session, *after.session);
  if (apart && alike && before.session && after.session) {
    scores = side_scores(before, after, policy, identities);
  }
  note_machine(scores, before.is_baseline, verdict);
  Comparison comparison(policy, origin_of(before, after), circumstances.no_verdict_on_time,
                        threshold, scores, identities);
  comparison.check_gated(before);
  comparison.check_gated(after);

  std::map<std::string, const BenchmarkResult*> only_before;
  for (const BenchmarkResult& benchmark : before.benchmarks) {
    only_before[benchmark.id] = &benchmark;
  }
  const results::Ceilings ceilings = ceilings_of(after);
  Asked asked_before(before);
  Asked asked_after(after);
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto node = only_before.extract(benchmark.id);
    const bool failed = benchmark.outcome.status != Status::ok;
    if (!node && !failed && !asked_before.for_benchmark(benchmark.id)) continue;
    verdict.benchmarks.push_back(comparison.compare(node ? node.mapped() : nullptr, &benchmark));
    verdict.benchmarks.back().achieved = achieved(benchmark, ceilings, l2_bytes_of(after));
  }
  for (const auto& [id, benchmark] : only_before) {
    if (!asked_after.for_benchmark(id)) continue;
    verdict.benchmarks.push_back(comparison.compare(benchmark, nullptr));
  }
  asked_before.note_left_out(after, verdict);
  asked_after.note_left_out(before, verdict);
  if (verdict.benchmarks.empty() && (asked_before.left_any_out() || asked_after.left_any_out())) {
    throw Error(kExitNoVerdict,
                fmt::format("{} and {} have no benchmark in common: a --filter they were measured "
                            "with left out those of the other; measure both alike",
                            before.name, after.name));
  }
  comparison.decide_statistical(verdict.benchmarks);
  if (threshold) {
    verdict.notes.push_back(fmt::format(
        "{} by threshold of {:g} %, no statistics; figures that were repeated are judged "
        "by statistics",
        counted(comparison.by_threshold(), "metric"), 100 * *threshold));
  }
  if (apart && comparison.sessions_unknown() && before.session && after.session) {
    verdict.notes.emplace_back(
        "one session to compare with: how far sessions and GPUs of the model differ is not known, "
        "and such a difference can look like a change of the kernel; approve several sessions");
  }
  if (alike) {
    note_common_shifts(comparison.estimates(),
                       before.session && after.session
                           ? listed(differences(*before.session, *after.session))
                           : "plain files do not say",
                       verdict);
  }
  explain_by_machine_code(identities, before.is_baseline, verdict);
  for (BenchmarkVerdict& benchmark : verdict.benchmarks) mention_counters(benchmark);
  note_remarks(after, verdict);
  sort_by_gravity(verdict.benchmarks);
  return verdict;
}

GateVerdict without_baseline(const std::string& reason, const Results& after,
                             const Policy& policy) {
  GateVerdict verdict = headline("", after, policy);
  verdict.no_baseline = reason;
  const CodeIdentities nothing_to_compare;
  Comparison comparison(policy, origin_of(after.session), "", std::nullopt, {}, nothing_to_compare);
  comparison.check_gated(after);
  const results::Ceilings ceilings = ceilings_of(after);
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    verdict.benchmarks.push_back(comparison.compare(nullptr, &benchmark));
    verdict.benchmarks.back().achieved = achieved(benchmark, ceilings, l2_bytes_of(after));
  }
  note_remarks(after, verdict);
  sort_by_gravity(verdict.benchmarks);
  return verdict;
}

void refuse_shard(const results::Results& results) {
  if (!results.session || !results.session->shard) return;
  const results::Shard& shard = *results.session->shard;
  throw Error(kExitUsage, fmt::format("{} is shard {} of {}: join all of them with warpgauge merge "
                                      "first",
                                      results.name, shard.index, shard.count));
}

}  // namespace warpgauge::ci
