// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/odd_processes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// Whose processes they are.
struct SessionOfSide {
  const LabelledFigures& figures;
  bool before;
  bool of_baseline;
};

// " of the baseline's session 2026-11-21T04:00:00Z"; of the new side nothing.
std::string session_text(const SessionOfSide& session) {
  if (!session.before) return {};
  if (!session.of_baseline) return " of the side before";
  const std::string& label = session.figures.label;
  return label.empty()
             ? " of the baseline"
             : fmt::format(" of the baseline's session {}", label.substr(0, label.find(' ')));
}

std::string pattern_text(const ProcessPattern& pattern, const std::string& metric,
                         const SessionOfSide& session) {
  // A plain file, which says nothing of sessions, has repetitions.
  const bool plain = session.figures.label.empty() && !session.of_baseline;
  const std::size_t count = session.figures.figures.size();
  const std::string of_side = session_text(session);
  const std::string all =
      fmt::format("{} {}{}", count, plain ? "repetitions" : "processes", of_side);
  const double percent = 100 * std::abs(pattern.deviation);
  const bool above = pattern.deviation > 0;
  switch (pattern.is) {
    case Pattern::outlier:
      return fmt::format("{} {} of {}{} is {:.3g} % {} the others",
                         plain ? "repetition" : "process", pattern.outlier + 1, count, of_side,
                         percent, above ? "above" : "below");
    case Pattern::two_modes:
      return fmt::format("{} have two modes, {} and {}", all, readable_figure(metric, pattern.low),
                         readable_figure(metric, pattern.high));
    case Pattern::drift:
      return fmt::format("{} drift by {}{:.3g} % from the first to the last", all,
                         above ? "+" : "-", percent);
  }
  return {};
}

std::string remedy_for_pattern(const ProcessPattern& pattern, const SessionOfSide& session) {
  if (pattern.is == Pattern::two_modes) {
    return fmt::format(
        "more processes settle nothing: remove what makes the modes, or give it a relative_floor "
        "of {:.2g} in an [[override]] of the policy",
        std::ceil(100 * pattern.deviation) / 100);
  }
  if (session.of_baseline) {
    return "delete the baseline and approve new sessions in its place";
  }
  return pattern.is == Pattern::outlier
             ? "measure again"
             : "look at the device's clocks and heat, and at what else runs, and measure again";
}

template <class Consider>
void over_sessions(const MetricEstimate& metric, bool against_baseline, Consider consider) {
  // What others do to a processor comes and goes, and does not count.
  if (metric.by_fastest_quarter) return;
  for (const bool before : {false, true}) {
    const auto& sessions = before ? metric.before_sessions : metric.after_sessions;
    for (const LabelledFigures& each : sessions) {
      consider(SessionOfSide{each, before, before && against_baseline}, sessions.size());
    }
  }
}

OddProcesses named_pattern(const ProcessPattern& pattern, const std::string& metric,
                           const SessionOfSide& session) {
  return {pattern.is, session.before, pattern_text(pattern, metric, session),
          remedy_for_pattern(pattern, session)};
}

}  // namespace

std::optional<OddProcesses> odd_processes(const MetricEstimate& metric, bool against_baseline) {
  std::optional<OddProcesses> found;
  double greatest = 0;
  over_sessions(metric, against_baseline, [&](const SessionOfSide& session, std::size_t sessions) {
    const auto of = static_cast<double>(sessions);
    const auto pattern = process_pattern(session.figures.figures, metric.floor.value_or(0) * of);
    if (!pattern || std::abs(pattern->deviation) / of <= greatest) return;
    greatest = std::abs(pattern->deviation) / of;
    found = named_pattern(*pattern, metric.metric, session);
  });
  return found;
}

std::optional<OddProcesses> hiding_outlier(const MetricEstimate& metric, bool against_baseline) {
  std::optional<OddProcesses> found;
  over_sessions(metric, against_baseline, [&](const SessionOfSide& session, std::size_t sessions) {
    if (!session.before || found) return;
    const auto processes = static_cast<double>(sessions * session.figures.figures.size());
    const auto pattern =
        process_pattern(session.figures.figures, metric.floor.value_or(0) / 2 * processes);
    if (pattern && pattern->is == Pattern::outlier) {
      found = named_pattern(*pattern, metric.metric, session);
    }
  });
  return found;
}

}  // namespace warpgauge::ci
