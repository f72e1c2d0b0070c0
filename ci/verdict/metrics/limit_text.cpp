// SPDX-License-Identifier: Apache-2.0
// What follows from where a figure lies beside its limit, and how it is said.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ci/support/text.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {
namespace {

using Bound = Policy::Bound;

// With as many digits as tell it from the limit.
std::string figure_text(const std::string& metric, double figure, double limit) {
  std::string text = readable_figure(metric, figure);
  if (figure == limit || text != readable_figure(metric, limit)) return text;
  return fmt::format("{:.9g}{}", figure, results::unit_of(metric).empty() ? "" : " ns");
}

bool can_become_clear(const LimitEstimate& limit) {
  return limit.low && limit.high && *limit.low < *limit.high;
}

}  // namespace

Verdict verdict_of(const LimitEstimate& limit) {
  if (!limit.not_measured.empty()) return Verdict::not_measured;
  if (!limit.low || !limit.high) return Verdict::inconclusive;
  const bool most = limit.bound == Bound::most;
  if (most ? *limit.low > limit.value : *limit.high < limit.value) return Verdict::regressed;
  const bool within = most ? *limit.high <= limit.value : *limit.low >= limit.value;
  return within ? Verdict::same : Verdict::inconclusive;
}

std::string limit_text(const std::string& metric, const LimitEstimate& limit) {
  const bool most = limit.bound == Bound::most;
  const bool is_ratio = !limit.against.empty();
  const std::string unit = is_ratio ? "" : metric;  // that its figures have
  const std::string value =
      is_ratio ? fmt::format("{:g}", limit.value) : readable_figure(metric, limit.value);
  const std::string allowed = fmt::format("{} by [[{}]] ({}){}{}", most ? "allowed" : "required",
                                          is_ratio ? "ratio" : "limit", limit.by,
                                          limit.reason.empty() ? "" : ": ", limit.reason);
  const char* const at = most ? "at most" : "at least";
  if (!limit.not_measured.empty()) {
    return fmt::format("{}, and {} {} is {}", limit.not_measured, at, value, allowed);
  }
  if (!limit.low || !limit.high) {
    return fmt::format("{}; {} {} is {}", limit.unclear_because, at, value, allowed);
  }
  const std::string low = figure_text(unit, *limit.low, limit.value);
  const std::string high = figure_text(unit, *limit.high, limit.value);
  const std::string range = low == high ? low : fmt::format("{} to {}", low, high);
  // "time 0.71 to 0.73 times that of transpose/shared/256x192,"
  const std::string figure =
      is_ratio ? fmt::format("{} {} times that of {},", metric, range, limit.against)
               : fmt::format("{} {}", metric, range);
  const char* const comma = is_ratio ? "" : ",";
  switch (verdict_of(limit)) {
    case Verdict::regressed:
      return fmt::format("{} {} {} {}", figure, most ? '>' : '<', value, allowed);
    case Verdict::inconclusive:
      return fmt::format("{}{} and {} {} is {}; measure with more processes (--processes 10)",
                         figure, comma, at, value, allowed);
    default:
      return fmt::format("{}{} and {} {} is {}", figure, comma, at, value, allowed);
  }
}

void hold_to_limits(BenchmarkVerdict& benchmark) {
  for (MetricVerdict& metric : benchmark.metrics) {
    Verdict worst = Verdict::same;
    std::vector<std::string> texts;
    for (const LimitEstimate& limit : metric.limits) {
      const Verdict verdict = verdict_of(limit);
      if (verdict == Verdict::same) continue;
      worst = std::max(worst, verdict);
      texts.push_back(limit_text(metric.metric, limit));
      metric.more_processes_help = metric.more_processes_help ||
                                   (verdict == Verdict::inconclusive && can_become_clear(limit));
    }
    if (texts.empty()) continue;
    metric.by_limit = worst > metric.verdict;
    // Why it would pass is beside the point.
    const bool passes = metric.verdict <= Verdict::improved;
    if (!metric.reason.empty() && !passes) texts.push_back(metric.reason);
    metric.reason = fmt::format("{}", fmt::join(texts, "; "));
    if (metric.by_limit) metric.verdict = worst;
    if (metric.metric_class == MetricClass::shown) {
      const bool one = std::all_of(metric.limits.begin(), metric.limits.end(),
                                   [](const auto& limit) { return limit.low == limit.high; });
      metric.metric_class = one ? MetricClass::exact : MetricClass::statistical;
    }
  }
  const auto decides = [](const MetricVerdict& metric) { return metric.by_limit; };
  const bool any = std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), decides);
  if (any && !benchmark.message.empty()) benchmark.message += "; a limit of the policy decides";
}

}  // namespace warpgauge::ci
