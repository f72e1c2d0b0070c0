// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/counter_range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ci/support/text.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/machine_code/resource_metrics.hpp"

namespace warpgauge::ci {

using results::CounterRange;

std::string to_string(Repeats repeats) {
  switch (repeats) {
    case Repeats::exact:
      return "exact";
    case Repeats::bounded:
      return "bounded";
    case Repeats::noisy:
      return "noisy";
    case Repeats::unknown:
      break;
  }
  return "unknown";
}

Repeats repeats(const CounterRange& range) {
  if (range.greatest - range.least > kBoundedSpread * range.greatest) return Repeats::noisy;
  if (range.sessions < kSessionsOfARange) return Repeats::unknown;
  return range.least == range.greatest ? Repeats::exact : Repeats::bounded;
}

void take_in(const results::BenchmarkResult& session, const Policy& policy,
             results::CounterRanges& ranges) {
  for (const auto& [name, metric] : session.metrics) {
    const std::vector<double> figures = metric.figures();
    const bool is_counter = !is_resource_metric(name) && results::unit_of(name).empty();
    if (figures.size() != 1 || !is_counter || !metric.problem.empty()) continue;
    if (policy.rule_for(session.id, name).gated()) continue;
    const double value = figures.front();
    const auto [place, is_new] = ranges.try_emplace(name, CounterRange{1, value, value});
    if (is_new) continue;
    CounterRange& range = place->second;
    range.sessions = std::min(range.sessions + 1, kSessionsOfARange);
    range.least = std::min(range.least, value);
    range.greatest = std::max(range.greatest, value);
  }
}

bool is_beyond(const CounterRange& range, double value) {
  if (range.sessions < kSessionsOfARange) return false;
  const double width = range.greatest - range.least;
  return value > range.greatest + width || value < range.least - width;
}

std::string range_text(const CounterRange& range) {
  const auto figure = [](double value) { return readable_count(value); };
  const std::string values =
      range.least == range.greatest
          ? figure(range.least)
          : fmt::format("{} to {}", figure(range.least), figure(range.greatest));
  const char* more = range.sessions < kSessionsOfARange ? "" : " or more";
  const Repeats how = repeats(range);
  return fmt::format("{} in {}{}{}", values,
                     counted(static_cast<std::size_t>(range.sessions), "session"), more,
                     how == Repeats::unknown ? "" : ", " + to_string(how));
}

}  // namespace warpgauge::ci
