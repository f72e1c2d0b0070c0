// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/since_approval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "ci/support/text.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

// "sort +30.1 %": each that regressed against the baseline, and not in turns.
std::vector<std::string> slower_only_since_approval(const GateVerdict& turns,
                                                    const GateVerdict& stored) {
  std::set<std::string> regressed_in_turns;
  for (const BenchmarkVerdict& each : turns.benchmarks) {
    if (each.verdict == Verdict::regressed) regressed_in_turns.insert(each.id);
  }
  std::vector<std::string> slower;
  for (const BenchmarkVerdict& each : stored.benchmarks) {
    if (each.verdict != Verdict::regressed || regressed_in_turns.contains(each.id)) continue;
    const auto metric = std::find_if(
        each.metrics.begin(), each.metrics.end(),
        [](const MetricVerdict& candidate) { return candidate.verdict == Verdict::regressed; });
    if (metric == each.metrics.end()) continue;
    slower.push_back(fmt::format("{} {}", each.id, readable_change(metric->before, metric->after)));
  }
  return slower;
}

}  // namespace

std::string note_on_what_sides_share(const GateVerdict& turns, const GateVerdict& stored) {
  constexpr std::size_t kMostNamed = 3;
  const std::vector<std::string> slower = slower_only_since_approval(turns, stored);
  if (slower.empty()) return "";
  const bool with_approved = turns.before_session && !stored.approved_revision.empty() &&
                             turns.before_session->source.revision == stored.approved_revision;
  std::string note = fmt::format(
      "slower than when it was approved, but not in turns with {}: {}. So the code did not do "
      "that, "
      "but what both sides share now: the machine, its compiler, its settings",
      with_approved ? "what was approved" : "that commit", some_of(slower, kMostNamed));
  if (stored.before_session && stored.after_session) {
    note += ". What differs since: " +
            results::listed(results::differences(*stored.before_session, *stored.after_session));
  }
  return note;
}

}  // namespace warpgauge::ci
