// SPDX-License-Identifier: Apache-2.0
#include "ci/report/explain_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>
#include <tuple>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/statistics.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/counter_range.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/nearest.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

class Writer {
 public:
  explicit Writer(const GateVerdict& verdict) : verdict_(verdict) {}

  void add(const BenchmarkVerdict& benchmark) {
    text_ += fmt::format("{}: {}{}\n", one_line(benchmark.id), to_string(benchmark.verdict),
                         benchmark.critical ? ", critical" : "");
    if (!benchmark.message.empty()) text_ += fmt::format("  {}\n", one_line(benchmark.message));
    for (const MetricVerdict& metric : benchmark.metrics) add(metric);
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void line(const char* label, const std::string& content) {
    text_ += fmt::format("    {:<10}{}\n", label, one_line(content));
  }

  [[nodiscard]] std::string at(Place place) const {
    return fmt::format("{}:{}", verdict_.policy, place.line);
  }

  void add(const MetricVerdict& metric) {
    const bool gated = metric.rule.gated() || !metric.limits.empty();
    text_ +=
        fmt::format("  {}: {}\n", one_line(metric.metric),
                    !gated                                           ? "shown, never gated"
                    : metric.not_compared.empty() || metric.by_limit ? to_string(metric.verdict)
                                                                     : "not compared");
    add_rule(metric.rule);
    add_figures("before", metric.metric, metric.before_sessions);
    add_figures("after", metric.metric, metric.after_sessions);
    if (metric.range) {
      const bool beyond = metric.after && is_beyond(*metric.range, *metric.after);
      line("range", range_text(*metric.range) + (beyond ? "; now beyond it" : ""));
    }
    if (metric.evidence) add_evidence(metric, *metric.evidence);
    for (const LimitEstimate& limit : metric.limits) {
      line("limit",
           fmt::format("{}: {}", to_string(verdict_of(limit)), limit_text(metric.metric, limit)));
    }
    if (gated) line("decision", decision(metric));
  }

  void add_rule(const Rule& rule) {
    if (rule.place.line == 0) {
      line("rule", fmt::format("no [[metric]] of {} names it", verdict_.policy));
    } else {
      const char* better = rule.better == Better::lower ? "lower" : "higher";
      line(
          "rule",
          fmt::format("{}: {}, {} is better{}{}", at(rule.place), to_string(rule.own_class), better,
                      rule.resolution > 0 ? fmt::format(", resolution {:g}", rule.resolution) : "",
                      rule.optional ? ", optional" : ""));
    }
    for (const Rule::Change& change : rule.changes) {
      line("override", fmt::format("{} '{}': {}", at(change.place), change.benchmarks,
                                   change.reason.empty() ? "no reason given" : change.reason));
    }
  }

  void add_figures(const char* side, const std::string& metric,
                   const std::vector<LabelledFigures>& sessions) {
    if (sessions.empty()) line(side, "not there");
    int number = 1;
    for (const LabelledFigures& session : sessions) {
      std::vector<std::string> figures;
      for (const double figure : session.figures) figures.push_back(fmt::format("{:.7g}", figure));
      line(number == 1 ? side : "",
           fmt::format("session {}{}: {}", number, metric == results::kTimeMetric ? ", ns" : "",
                       fmt::join(figures, ", ")));
      ++number;
    }
  }

  static std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

  static std::string degrees(double degrees) {
    if (!std::isfinite(degrees)) return "known exactly";
    return fmt::format("{:.3g} {} of freedom", degrees, degrees == 1 ? "degree" : "degrees");
  }

  static std::string uncertainty(const Uncertainty& each) {
    if (!(each.standard_error > 0)) return "none";
    return fmt::format("standard error {}, {}", percent(each.standard_error),
                       degrees(each.degrees));
  }

  static std::string spread(const SessionSpread& each) {
    if (!(each.degrees_of_freedom > 0)) return "not known";
    return fmt::format("{} on {}", percent(std::sqrt(each.variance)),
                       degrees(each.degrees_of_freedom));
  }

  void add_evidence(const MetricVerdict& metric, const Evidence& evidence) {
    const auto processes = [](const std::vector<LabelledFigures>& sessions) {
      std::vector<ProcessFigures> figures;
      figures.reserve(sessions.size());
      for (const LabelledFigures& session : sessions) figures.push_back(session.figures);
      const auto deviation = process_deviation(figures);
      return deviation ? percent(*deviation) : std::string("not known");
    };
    const Estimate& estimate = evidence.estimate;
    line("spread",
         fmt::format("between processes {} before, {} after", processes(metric.before_sessions),
                     processes(metric.after_sessions)));
    line("", fmt::format("between sessions {} of its own; with what the suite's say: {}",
                         spread(evidence.own_spread), spread(evidence.spread)));
    if (evidence.machine_shift != 0 || evidence.machine_deviation != 0) {
      line("machine", fmt::format("by the controls {:+.2f} %, known to {:.2f} %: taken out of the "
                                  "ratio",
                                  100 * evidence.machine_shift, 100 * evidence.machine_deviation));
    }
    if (evidence.single_process_deviation > 0) {
      line("",
           fmt::format("one process a side; two of these differ by about {:.2g} %, as the suite "
                       "shows",
                       100 * evidence.single_process_deviation));
    }
    line("ratio", fmt::format("{:.5g}, interval {:.5g} to {:.5g} at level {:g} %", estimate.ratio,
                              estimate.low, estimate.high, 100 * (1 - 2 * evidence.beta)));
    line("", fmt::format("from the processes: {}", uncertainty(estimate.of_processes)));
    line("", fmt::format("from the sessions: {}", uncertainty(estimate.of_sessions)));
    if (estimate.of_rare_devices.standard_error > 0) {
      line("", fmt::format("for p, as the baseline lacks this GPU: {}",
                           uncertainty(estimate.of_rare_devices)));
    }
    for (const auto& [way, raw, adjusted] :
         {std::tuple("greater", estimate.p_greater, evidence.adjusted_p_greater),
          std::tuple("less", estimate.p_less, evidence.adjusted_p_less)}) {
      line(way == std::string_view("greater") ? "p" : "",
           fmt::format("of a ratio so far {} than the floor: {:.2g}, adjusted over {} {:.2g}", way,
                       raw, counted(evidence.tests, "test"), adjusted));
    }
    const Rule& rule = metric.rule;
    line("floor", fmt::format("{}, the greater of", percent(estimate.floor)));
    line("", fmt::format("{} relative ({}{})", percent(rule.relative_floor),
                         at(rule.relative_floor_place),
                         rule.usual_floor ? ", by what processes differ by" : ""));
    write_absolute(rule);
    if (rule.usual_floor) {
      line("",
           fmt::format("{} is what passes, however well they repeat", percent(*rule.usual_floor)));
    }
  }

  void write_absolute(const Rule& rule) {
    if (!(rule.absolute_floor > 0)) return;
    const bool by_policy = rule.absolute_floor_place.line > 0;
    line("", fmt::format("{:g} absolute ({})", rule.absolute_floor,
                         by_policy ? at(rule.absolute_floor_place)
                                   : "two steps of the grid that the times lie on"));
  }

  static std::string decision(const MetricVerdict& metric) {
    if (!metric.not_compared.empty() && !metric.by_limit) return "none: " + metric.not_compared;
    const std::string verdict = to_string(metric.verdict);
    if (!metric.reason.empty()) return fmt::format("{}: {}", verdict, metric.reason);
    if (metric.metric_class == MetricClass::exact) {
      return metric.verdict == Verdict::same
                 ? "same: the figures are equal"
                 : fmt::format("{}: an exact metric has no tolerance", verdict);
    }
    if (!metric.evidence) return to_string(metric.verdict);
    return metric.verdict == Verdict::same
               ? "same: the whole interval is within the floor"
               : fmt::format("{}: beyond the floor with an adjusted p below alpha {:g}", verdict,
                             metric.evidence->alpha);
  }

  const GateVerdict& verdict_;
  std::string text_;
};

// As a filter would have it: it says so by what no id has.
bool is_regular_expression(const std::string& pattern) {
  return pattern.starts_with('^') || pattern.ends_with('$') || pattern.find(".*") != pattern.npos ||
         pattern.find('|') != pattern.npos;
}

}  // namespace

std::string derivations(const GateVerdict& verdict, const std::string& pattern) {
  Writer writer(verdict);
  std::vector<std::string> ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    ids.push_back(benchmark.id);
    if (matches(pattern, benchmark.id)) writer.add(benchmark);
  }
  if (writer.text().empty()) {
    throw Error(kExitUsage,
                fmt::format("--explain '{}' matches no benchmark{}; see warpgauge --help", pattern,
                            results::did_you_mean(pattern, ids) +
                                (is_regular_expression(pattern)
                                     ? " (it takes no regular expression, but a pattern of the "
                                       "whole id, in which * stands for any characters)"
                                     : "")));
  }
  return writer.text();
}

}  // namespace warpgauge::ci
