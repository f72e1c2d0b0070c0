// SPDX-License-Identifier: Apache-2.0
#include "ci/report/brief_block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/text/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kMostNamed = 2;  // of one verdict
constexpr std::size_t kLongestMetric = 60;
constexpr std::size_t kLongestReason = 60;

double moved_by(const MetricVerdict& metric) {
  if (!metric.before || !metric.after || *metric.before == *metric.after) return 0;
  const double ratio = *metric.after / *metric.before;
  return ratio > 0 ? std::abs(std::log(ratio)) : std::numeric_limits<double>::infinity();
}

double moved_by(const BenchmarkVerdict& benchmark) {
  if (benchmark.metrics.empty() || benchmark.verdict == Verdict::same) return 0;
  const MetricVerdict& decides = benchmark.metrics.front();
  const bool is_open = benchmark.verdict == Verdict::inconclusive;
  const bool fell = decides.before && decides.after && *decides.after < *decides.before;
  return is_open && fell ? -moved_by(decides) : moved_by(decides);
}

// "registers +25.0 %".
std::string short_change(const MetricVerdict& metric) {
  if (metric.by_limit && metric.before == metric.after) return change_text(metric);
  std::string name = one_line(shortened(metric.metric, kLongestMetric));
  if (!metric.before || !metric.after) return name;
  return fmt::format("{} {}", name,
                     *metric.before == 0
                         ? readable_arrow(metric.metric, metric.before, metric.after)
                         : readable_change(metric.before, metric.after));
}

std::string word_for(const MetricVerdict& metric) {
  return metric.metric_class == MetricClass::shown ? "shown" : to_string(metric.verdict);
}

// Why what grew is not worse, which its figures do not say. Empty: it is none of these, or takes
// more than a few words.
std::string short_reason(const MetricVerdict& metric) {
  if (metric.verdict != Verdict::not_worse || metric.metric_class == MetricClass::shown) return "";
  std::string reason = one_line(metric.reason);
  return reason.size() <= kLongestReason ? reason : "";
}

// Each verdict with those that moved the most.
std::string rest_of(const std::vector<const MetricVerdict*>& others) {
  struct Group {
    std::string word;
    std::string why;
    std::vector<const MetricVerdict*> metrics;
  };
  std::vector<Group> groups;
  for (const MetricVerdict* metric : others) {
    const std::string word = word_for(*metric);
    const std::string why = short_reason(*metric);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
      return each.word == word && each.why == why;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {word, why, {}});
    group->metrics.push_back(metric);
  }
  std::vector<std::string> parts;
  for (auto& [word, why, metrics] : groups) {
    std::stable_sort(metrics.begin(), metrics.end(),
                     [](const auto* a, const auto* b) { return moved_by(*a) > moved_by(*b); });
    std::vector<std::string> changes;
    for (std::size_t i = 0; i < std::min(metrics.size(), kMostNamed); ++i) {
      changes.push_back(short_change(*metrics[i]));
    }
    const std::size_t more = metrics.size() - changes.size();
    parts.push_back(fmt::format("{}: {}{}{}", word, fmt::join(changes, ", "),
                                more == 0 ? "" : fmt::format(" and {} more", more),
                                why.empty() ? "" : fmt::format(" ({})", why)));
  }
  return parts.empty() ? "" : fmt::format("also {}", fmt::join(parts, "; "));
}

bool tells_interval(const MetricVerdict& metric) {
  const bool known = metric.low && metric.high && metric.floor && !metric.by_limit &&
                     std::isfinite(*metric.low) && std::isfinite(*metric.high) &&
                     std::isfinite(*metric.floor) && *metric.low <= *metric.high &&
                     *metric.floor >= 0;
  if (!known) return false;
  // What is not decided by the interval alone must not look as if it were.
  switch (metric.verdict) {
    case Verdict::regressed:
    case Verdict::improved:
      return interval_agrees(metric);
    case Verdict::inconclusive:
      return !interval_agrees(metric);
    default:
      return true;
  }
}

}  // namespace

BriefBlock brief_block(const BenchmarkVerdict& benchmark) {
  BriefBlock block;
  std::vector<const MetricVerdict*> others;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!worth_listing(metric)) continue;
    if (block.decides == nullptr) {
      block.decides = &metric;
    } else {
      others.push_back(&metric);
    }
  }
  if (block.decides == nullptr) return block;
  block.cause = cause_text(*block.decides);
  const MetricVerdict* explains = block.decides;
  const MetricVerdict* const counter = explaining_counter(benchmark);
  if (!block.decides->cause && counter != nullptr) {
    explains = counter;
    block.cause += fmt::format("{}{}: {}", block.cause.empty() ? "" : "; ", change_text(*counter),
                               cause_text(*counter));
    std::erase(others, counter);
  }
  if (explains->cause && !explains->cause->lines.empty()) {
    block.line = explains->cause->lines.front().line;
  }
  block.rest = rest_of(others);
  return block;
}

std::vector<const BenchmarkVerdict*> furthest_first(
    std::vector<const BenchmarkVerdict*> benchmarks) {
  const auto alike = [](const BenchmarkVerdict& a, const BenchmarkVerdict& b) {
    return a.verdict == b.verdict && a.critical == b.critical;
  };
  for (auto begin = benchmarks.begin(); begin != benchmarks.end();) {
    const auto end = std::find_if(begin, benchmarks.end(),
                                  [&](const auto* each) { return !alike(**begin, *each); });
    std::stable_sort(begin, end,
                     [](const auto* a, const auto* b) { return moved_by(*a) > moved_by(*b); });
    begin = end;
  }
  return benchmarks;
}

std::string brief_interval(const MetricVerdict& metric) {
  const bool moved = metric.verdict == Verdict::regressed || metric.verdict == Verdict::improved;
  if (!moved || !tells_interval(metric)) return {};
  return fmt::format("{:+.1f} to {:+.1f} %, floor {}", 100 * (*metric.low - 1),
                     100 * (*metric.high - 1), floor_percent(*metric.floor));
}

std::string interval_bar(const MetricVerdict& metric) {
  if (!tells_interval(metric)) return {};
  constexpr std::size_t kCells = 24;
  const double worst = 1 + *metric.floor;
  const double best = 1 / worst;
  const double least = std::min(*metric.low, best);
  const double width = std::max(*metric.high, worst) - least;
  if (!(width > 0) || !std::isfinite(width)) return {};
  const auto cell = [&](double ratio) {
    return static_cast<std::size_t>(std::lround((ratio - least) / width * (kCells - 1)));
  };
  std::vector<const char*> cells(kCells, "·");
  const std::size_t first = cell(*metric.low);
  const std::size_t last = cell(*metric.high);
  std::fill(cells.begin() + static_cast<std::ptrdiff_t>(first),
            cells.begin() + static_cast<std::ptrdiff_t>(last) + 1, "━");
  const auto mark = [&](double ratio, const char* alone) {
    const std::size_t at = cell(ratio);
    cells[at] = at >= first && at <= last ? "┿" : alone;
  };
  mark(best, "┊");
  mark(worst, "┊");
  mark(1, "│");
  return fmt::format("{}", fmt::join(cells, ""));
}

}  // namespace warpgauge::ci
