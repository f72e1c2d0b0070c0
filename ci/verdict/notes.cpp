// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "ci/support/text.hpp"
#include "ci/verdict/counter_range.hpp"

namespace warpgauge::ci {

using results::BenchmarkResult;
using results::Results;

void mention_counters(BenchmarkVerdict& benchmark) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> beyond;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!metric.range || !metric.after || !is_beyond(*metric.range, *metric.after)) continue;
    beyond.push_back(fmt::format("{} {} ({})", metric.metric, readable_count(*metric.after),
                                 range_text(*metric.range)));
  }
  if (beyond.empty()) return;
  const std::size_t more = beyond.size() - std::min(beyond.size(), kMostNamed);
  beyond.resize(beyond.size() - more);
  for (MetricVerdict& metric : benchmark.metrics) {
    if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::improved) continue;
    if (metric.metric != results::kTimeMetric) continue;
    metric.reason +=
        fmt::format("{}not as in the baseline's sessions: {}{}", metric.reason.empty() ? "" : "; ",
                    fmt::join(beyond, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
  }
}

void note_remarks(const Results& results, GateVerdict& verdict) {
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    for (const std::string& remark : benchmark.remarks) {
      verdict.notes.push_back(fmt::format("{}: {}", benchmark.id, remark));
    }
  }
}

void note_common_shifts(const std::map<std::string, std::vector<Estimate>>& estimates,
                        const std::string& what_differs, GateVerdict& verdict) {
  for (const auto& [metric, suite] : estimates) {
    const auto shift = common_shift(suite);
    if (!shift) continue;
    verdict.notes.push_back(fmt::format(
        "{} is {} in {} of {} benchmarks together, {:+.2f} % in the median: look at what they "
        "share before each kernel. What differs between the two sides: {}. All verdicts stand",
        metric, shift->greater ? "greater" : "less", shift->moved, suite.size(),
        100 * (shift->median_ratio - 1), what_differs));
  }
}

void note_machine(const SideScores& scores, bool against_baseline, GateVerdict& verdict) {
  for (const std::string& id : scores.changed) {
    verdict.notes.push_back(
        fmt::format("{} is a control, but its machine code or its launch is another now: it says "
                    "nothing of the machine",
                    id));
  }
  const MachineDistance apart = distance_of(scores);
  const std::string by = counted(scores.controls.size(), "control");
  const char* others = against_baseline ? "those of the baseline" : "that of the other results";
  // Two standard deviations: what chance alone seldom shows.
  if (apart.distance > 0 && apart.distance * apart.distance > 4 * apart.variance) {
    verdict.notes.push_back(
        fmt::format("this machine differs by {:.2f} % from {}, by {}; times are compared as if it "
                    "did not",
                    100 * apart.distance, others, by));
  }
  constexpr double kUnseenShown = 0.003;  // less is not worth a reader's time
  if (apart.unseen >= kUnseenShown) {
    verdict.notes.push_back(fmt::format(
        "this machine differs by {:.2f} % in a way that {} does, by {}{}", 100 * apart.unseen,
        against_baseline ? "none of the baseline's" : "that of the other results never", by,
        against_baseline ? ": approve sessions of it" : ""));
  }
}

}  // namespace warpgauge::ci
