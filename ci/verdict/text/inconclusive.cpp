// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/inconclusive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ci/statistics/statistics.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/text/odd_processes.hpp"

namespace warpgauge::ci {
namespace {

bool better_is_lower(const MetricEstimate& metric) { return metric.rule.better == Better::lower; }

std::string signed_percent(double ratio, int digits) {
  return fmt::format("{:+.{}f}", 100 * (ratio - 1), digits);
}

// Rounded, an end just beyond the floor would be the floor.
int digits_for(const MetricEstimate& metric, const Interval& interval) {
  constexpr int kMost = 4;
  const double floor = worst_that_is_let_pass(metric);
  int digits = 1;
  const auto hides = [&](double end) {
    return end != floor && signed_percent(end, digits) == signed_percent(floor, digits);
  };
  while (digits < kMost && (hides(interval.low) || hides(interval.high))) ++digits;
  return digits;
}

Interval interval_of(const MetricEstimate& metric) {
  return {metric.low.value_or(1), metric.high.value_or(1)};
}

std::string ends_text(const Interval& interval, int digits) {
  return fmt::format("{} to {} %", signed_percent(interval.low, digits),
                     signed_percent(interval.high, digits));
}

double adjusted_p_worse(const MetricEstimate& metric) {
  return better_is_lower(metric) ? metric.evidence->adjusted_p_greater
                                 : metric.evidence->adjusted_p_less;
}

// A ratio that is worse by this share.
double as_worse(const MetricEstimate& metric, double share) {
  return better_is_lower(metric) ? 1 + share : 1 / (1 + share);
}

// Whether all of the interval is worse than the floor: then it is the p-value that does not
// suffice.
bool looks_worse(const MetricEstimate& metric) {
  const double floor = as_worse(metric, metric.evidence->estimate.floor);
  return better_is_lower(metric) ? *metric.low > floor : *metric.high < floor;
}

// The interval at the level by which an alarm is decided: with the chance that is left for one test
// once all of them share alpha. It reaches to the floor and beyond just where p does not suffice.
Interval interval_of_alarm(const MetricEstimate& metric) {
  const Evidence& evidence = *metric.evidence;
  const double alone =
      better_is_lower(metric) ? evidence.estimate.p_greater : evidence.estimate.p_less;
  const double adjusted = adjusted_p_worse(metric);
  const double share =
      adjusted < 1 && alone > 0 ? alone / adjusted : 1 / static_cast<double>(evidence.tests);
  return interval_at(evidence.estimate, evidence.alpha * share);
}

std::string short_percent(double share) {
  const double percent = 100 * share;
  return percent < 10 ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

// Of two sides of one process each. `deviation`: what such sides differ by.
std::string of_single_processes(double deviation, double floor) {
  const std::string what = fmt::format(
      "each side is one process, and two of these differ by about {}, as the whole suite shows: ",
      short_percent(deviation));
  if (const auto count = processes_that_settle(deviation, floor)) {
    return what + fmt::format("measure {} processes of each side, and import them", *count);
  }
  return what + fmt::format(
                    "{} processes of each side would not show {}; measure where nothing else "
                    "runs, or let calibrate --policy-out write the floor that this machine allows",
                    kMostProcessesToAskFor, short_percent(floor));
}

std::string or_in_turns(Evidence::InTurns in_turns) {
  switch (in_turns) {
    case Evidence::InTurns::by_gate:
      return ", or measure in turns with a build of what was approved (--against-prebuilt)";
    case Evidence::InTurns::by_import:
      return ", or run this build and one of what was approved in turns, import the files of each, "
             "and compare the two results";
    case Evidence::InTurns::not_at_all:
      break;
  }
  return "";
}

// What would settle it.
std::string remedy(const MetricEstimate& metric) {
  const Evidence& evidence = *metric.evidence;
  const Estimate& estimate = evidence.estimate;
  const bool by_rare_devices =
      estimate.of_rare_devices.standard_error > estimate.of_sessions.standard_error;
  if (looks_worse(metric) && by_rare_devices) {
    return "the baseline has no session of this GPU: approve some, or measure on one that it has";
  }
  if (evidence.single_process_deviation > estimate.of_processes.standard_error) {
    return of_single_processes(evidence.single_process_deviation, metric.floor.value_or(0));
  }
  if (!estimate.limited_by_sessions) {
    const bool of_program = evidence.in_turns == Evidence::InTurns::not_at_all;
    return std::string("measure with more processes") +
           (of_program ? ", or take wider floors: warpgauge calibrate RESULTS --policy-out FILE"
                       : "");
  }
  // Of imported results nobody knows that they are of the same code: approve refuses what is open.
  if (evidence.in_turns == Evidence::InTurns::by_import) {
    return "sessions of the baseline differ as much: delete it and approve more of them together" +
           or_in_turns(evidence.in_turns);
  }
  if (evidence.machine_deviation * evidence.machine_deviation > evidence.spread.variance) {
    return "the baseline has no machine like this one: approve sessions of it" +
           or_in_turns(evidence.in_turns);
  }
  return "sessions of the baseline differ as much: approve more of them" +
         or_in_turns(evidence.in_turns);
}

}  // namespace

std::optional<int> processes_that_settle(double deviation, double floor) {
  constexpr int kFewest = 10;
  // By simulation (tests/rates/other_programs_rates_test.cpp): two sessions must be told apart,
  // too.
  constexpr double kReach = 8;
  if (!(floor > 0)) return std::nullopt;
  const double processes = std::ceil(std::pow(kReach * deviation / floor, 2));
  if (!(processes <= kMostProcessesToAskFor)) return std::nullopt;
  return std::max(kFewest, static_cast<int>(processes));
}

double worst_that_is_let_pass(const MetricEstimate& metric) {
  return as_worse(metric, metric.floor.value_or(0));
}

std::string interval_text(const MetricEstimate& metric) {
  const Interval interval = interval_of(metric);
  return ends_text(interval, digits_for(metric, interval));
}

std::string floor_text(const MetricEstimate& metric) {
  return fmt::format("{} %", signed_percent(worst_that_is_let_pass(metric),
                                            digits_for(metric, interval_of(metric))));
}

std::string change_text(const MetricEstimate* metric) {
  if (metric == nullptr || !metric->before || !metric->after) return "nothing to compare";
  return fmt::format("{} %", signed_percent(*metric->after / *metric->before, 2));
}

Unclear why_unclear(const MetricEstimate& metric, bool against_baseline) {
  Unclear unclear;
  if (looks_worse(metric)) {
    const Interval interval = interval_of_alarm(metric);
    const int digits = digits_for(metric, interval);
    unclear.why = fmt::format(
        "{}, adjusted over {}, may be worse than {} % or not: p {:.2g} is "
        "not below {:.2g}",
        ends_text(interval, digits), counted(metric.evidence->tests, "test"),
        signed_percent(as_worse(metric, metric.evidence->estimate.floor), digits),
        adjusted_p_worse(metric), metric.evidence->alpha);
  } else {
    unclear.why = fmt::format("{} may be worse than {}", interval_text(metric), floor_text(metric));
  }
  unclear.remedy = remedy(metric);
  unclear.more_processes_help = !metric.evidence->estimate.limited_by_sessions;
  if (const auto odd = odd_processes(metric, against_baseline)) {
    unclear.why += "; " + odd->what;
    unclear.remedy = odd->remedy;
    if (odd->pattern == Pattern::two_modes) unclear.more_processes_help = false;
  }
  return unclear;
}

}  // namespace warpgauge::ci
