// SPDX-License-Identifier: Apache-2.0
#include "ci/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ci/cause.hpp"
#include "ci/errors.hpp"
#include "ci/machine_cause.hpp"
#include "ci/resources.hpp"
#include "ci/statistics.hpp"
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

std::string why_not_measured(const BenchmarkResult& result, const std::string& metric) {
  const char* group = metric == results::kTimeMetric ? results::kTimeMetric : "counters";
  for (const std::string& name : {metric, std::string(group)}) {
    const auto found = result.not_measured.find(name);
    if (found != result.not_measured.end()) return found->second;
  }
  return "absent from the new results";
}

// A statistical metric that both sides have, waiting for what only the whole suite can say.
struct Pending {
  MetricVerdict* verdict;
  Rule rule;
  const Metric* before;
  const Metric* after;
  SessionSpread spread;
  Estimate estimate;
};

class Comparison {
 public:
  Comparison(const Policy& policy, bool of_gpu_clock)
      : policy_(policy), of_gpu_clock_(of_gpu_clock) {}

  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric) const {
    Rule rule = policy_.rule_for(benchmark, metric);
    if (!of_gpu_clock_) rule.absolute_floor = rule.resolution = 0;
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
    if (after == nullptr) {
      verdict.verdict = Verdict::missing;
      verdict.message = "in the baseline, but not in the new results";
    } else if (after->outcome.status != Status::ok) {
      verdict.verdict = Verdict::failed;
      verdict.message = failure(after->outcome);
    } else if (after->metrics.empty()) {
      verdict.verdict = Verdict::not_measured;
      verdict.message = why_not_measured(*after, results::kTimeMetric);
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
      decide(test);
      sessions_unknown_ = sessions_unknown_ || !(test.spread.degrees_of_freedom > 0);
    }
  }

  // Whether a statistical verdict had to do without the spread between sessions.
  [[nodiscard]] bool sessions_unknown() const { return sessions_unknown_; }

 private:
  static std::string failure(const results::Outcome& outcome) {
    return outcome.message.empty()
               ? to_string(outcome.status)
               : fmt::format("{}: {}", to_string(outcome.status), outcome.message);
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
      if (old_metric != nullptr) metric.before = first(*old_metric);
      if (new_metric != nullptr) metric.after = first(*new_metric);
      if (!rule.gated() || (is_resource_metric(name) && !compiled_alike(before, after))) continue;
      if (new_metric == nullptr) {
        if (old_metric == nullptr || rule.optional) continue;
        metric.verdict = Verdict::not_measured;
        metric.reason = why_not_measured(after, name);
      } else if (old_metric == nullptr) {
        if (rule.optional) continue;
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

  void add_test(const std::string& id, MetricVerdict& verdict, std::vector<Pending>& tests) const {
    const auto found = statistical_.find({id, verdict.metric});
    if (found == statistical_.end()) return;
    const auto& [before, after] = found->second;
    const auto too_few = [&](const Metric& metric, const char* remedy) {
      if (figures(metric) >= 2) return false;
      verdict.verdict = Verdict::inconclusive;
      verdict.reason = fmt::format("one figure tells nothing about its spread; {}", remedy);
      return true;
    };
    if (too_few(*after, "measure with more processes (--processes 5)") ||
        too_few(*before, "approve a baseline of more processes (--processes 5)")) {
      return;
    }
    for (const Metric* metric : {before, after}) {
      for (const auto& session : metric->sessions) {
        if (std::find(session.begin(), session.end(), 0.0) == session.end()) continue;
        verdict.verdict = Verdict::inconclusive;
        verdict.reason = "is 0 in some process, which has no ratio; class it as exact or shown";
        return;
      }
    }
    const Rule rule = rule_for(id, verdict.metric);
    tests.push_back(
        {&verdict, rule, before, after, spread_between(before->sessions, rule.resolution), {}});
  }

  static void moderate_spreads(const std::vector<Pending*>& tests) {
    std::vector<SessionSpread> spreads;
    spreads.reserve(tests.size());
    for (const Pending* test : tests) spreads.push_back(test->spread);
    spreads = moderate(spreads);
    for (std::size_t i = 0; i < tests.size(); ++i) tests[i]->spread = spreads[i];
  }

  void estimate(std::vector<Pending>& tests) const {
    std::map<std::string, std::vector<Pending*>> by_metric;
    for (Pending& test : tests) by_metric[test.verdict->metric].push_back(&test);
    for (const auto& [metric, same_metric] : by_metric) moderate_spreads(same_metric);

    std::vector<double> p_greater;
    std::vector<double> p_less;
    for (Pending& test : tests) {
      test.estimate = compare_means(test.before->sessions, test.after->sessions, test.spread,
                                    test.rule.resolution, policy_.beta);
      p_greater.push_back(test.estimate.p_greater);
      p_less.push_back(test.estimate.p_less);
    }
    p_greater = holm(p_greater);
    p_less = holm(p_less);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      tests[i].estimate.p_greater = p_greater[i];
      tests[i].estimate.p_less = p_less[i];
    }
  }

  void decide(const Pending& test) const {
    const Estimate& estimate = test.estimate;
    MetricVerdict& verdict = *test.verdict;
    const double floor =
        std::max(test.rule.relative_floor, test.rule.absolute_floor / estimate.before);
    verdict.before = estimate.before;
    verdict.after = estimate.after;
    verdict.low = estimate.low;
    verdict.high = estimate.high;
    verdict.p = std::min(estimate.p_greater, estimate.p_less);
    verdict.floor = floor;
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
        verdict.reason =
            fmt::format("{:+.1f} to {:+.1f} % is neither within ±{:.1f} % nor surely beyond it; {}",
                        100 * (estimate.low - 1), 100 * (estimate.high - 1), 100 * floor,
                        estimate.limited_by_sessions
                            ? "sessions of the baseline differ as much: approve more of them"
                            : "measure with more processes");
        break;
    }
  }

  const Policy& policy_;
  bool of_gpu_clock_;
  bool sessions_unknown_ = false;
  std::map<std::pair<std::string, std::string>, std::pair<const Metric*, const Metric*>>
      statistical_;
};

void sort_by_gravity(std::vector<BenchmarkVerdict>& benchmarks) {
  for (BenchmarkVerdict& benchmark : benchmarks) {
    std::stable_sort(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const MetricVerdict& a, const MetricVerdict& b) {
                       // Time leads among equals: it is what the counters are there to explain.
                       const auto rank = [](const MetricVerdict& metric) {
                         return std::pair(-static_cast<int>(metric.verdict),
                                          metric.metric != results::kTimeMetric);
                       };
                       return rank(a) < rank(b);
                     });
    for (const MetricVerdict& metric : benchmark.metrics) {
      benchmark.verdict = std::max(benchmark.verdict, metric.verdict);
    }
  }
  std::sort(benchmarks.begin(), benchmarks.end(),
            [](const BenchmarkVerdict& a, const BenchmarkVerdict& b) {
              return a.verdict == b.verdict ? a.id < b.id : a.verdict > b.verdict;
            });
}

std::vector<std::string> differing_circumstances(const results::Session& before,
                                                 const results::Session& after) {
  std::vector<std::string> notes;
  const auto note = [&](const char* what, const std::string& old_value,
                        const std::string& new_value) {
    if (old_value == new_value) return;
    notes.push_back(
        fmt::format("{} differs from the baseline's: '{}' → '{}'", what, old_value, new_value));
  };
  note("driver", before.device.driver, after.device.driver);
  note("CUDA", before.toolchain.cuda, after.toolchain.cuda);
  note("host compiler", before.toolchain.host_compiler, after.toolchain.host_compiler);
  note("build type", before.toolchain.build_type, after.toolchain.build_type);
  return notes;
}

// They decide nothing, but whoever reads the report should see them.
void note_remarks(const Results& results, GateVerdict& verdict) {
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    for (const std::string& remark : benchmark.remarks) {
      verdict.notes.push_back(fmt::format("{}: {}", benchmark.id, remark));
    }
  }
}

GateVerdict headline(const std::string& before, const Results& after) {
  GateVerdict verdict;
  verdict.before = before;
  verdict.after = after.name;
  if (after.session) verdict.device = after.session->device.name;
  return verdict;
}

}  // namespace

GateVerdict compare(const Results& before, const Results& after, const Policy& policy) {
  if (before.session && after.session && before.session->device.key != after.session->device.key) {
    throw Error(
        kExitNoVerdict,
        fmt::format("{} was measured on '{}', {} on '{}'; measure both on one device", before.name,
                    before.session->device.name, after.name, after.session->device.name));
  }
  GateVerdict verdict = headline(before.name, after);
  if (before.session && after.session) {
    verdict.notes = differing_circumstances(*before.session, *after.session);
  } else {
    verdict.notes.emplace_back(
        "repetitions within one process are not independent; for a verdict to rely on, measure in "
        "fresh processes");
  }

  Comparison comparison(policy, before.session && after.session);
  comparison.check_gated(before);
  comparison.check_gated(after);

  std::map<std::string, const BenchmarkResult*> only_before;
  for (const BenchmarkResult& benchmark : before.benchmarks) {
    only_before[benchmark.id] = &benchmark;
  }
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto node = only_before.extract(benchmark.id);
    verdict.benchmarks.push_back(comparison.compare(node ? node.mapped() : nullptr, &benchmark));
  }
  for (const auto& [id, benchmark] : only_before) {
    verdict.benchmarks.push_back(comparison.compare(benchmark, nullptr));
  }
  comparison.decide_statistical(verdict.benchmarks);
  if (comparison.sessions_unknown() && before.session && after.session) {
    verdict.notes.emplace_back(
        "one session to compare with: how far sessions and GPUs of the model differ is not known, "
        "and such a difference can look like a change of the kernel; approve several sessions");
  }
  explain_by_machine_code(before, after, policy, verdict);
  note_remarks(after, verdict);
  sort_by_gravity(verdict.benchmarks);
  return verdict;
}

GateVerdict without_baseline(const std::string& reason, const Results& after,
                             const Policy& policy) {
  GateVerdict verdict = headline("", after);
  verdict.no_baseline = reason;
  Comparison comparison(policy, after.session.has_value());
  comparison.check_gated(after);
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    verdict.benchmarks.push_back(comparison.compare(nullptr, &benchmark));
  }
  note_remarks(after, verdict);
  sort_by_gravity(verdict.benchmarks);
  return verdict;
}

}  // namespace warpgauge::ci
