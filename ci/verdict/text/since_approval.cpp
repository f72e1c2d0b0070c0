// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/since_approval.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <vector>

#include "ci/support/text.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

const MetricVerdict* regressed_metric(const BenchmarkVerdict& benchmark) {
  for (const MetricVerdict& each : benchmark.metrics) {
    if (each.verdict == Verdict::regressed) return &each;
  }
  return nullptr;
}

// By id. Only what turns are sure of.
std::map<std::string, const BenchmarkVerdict*> not_worse_in_turns(const GateVerdict& turns) {
  std::map<std::string, const BenchmarkVerdict*> found;
  for (const BenchmarkVerdict& each : turns.benchmarks) {
    if (each.verdict == Verdict::same || each.verdict == Verdict::not_worse ||
        each.verdict == Verdict::improved) {
      found.emplace(each.id, &each);
    }
  }
  return found;
}

// "sort +30.1 % (in turns +0.1 %)": each that regressed against the baseline, and not in turns.
std::vector<std::string> slower_only_since_approval(const GateVerdict& turns,
                                                    const GateVerdict& stored) {
  const auto steady = not_worse_in_turns(turns);
  std::vector<std::string> slower;
  for (const BenchmarkVerdict& each : stored.benchmarks) {
    const MetricVerdict* const now = regressed_metric(each);
    const auto found = steady.find(each.id);
    if (now == nullptr || found == steady.end()) continue;
    std::string in_turns;
    for (const MetricVerdict& metric : found->second->metrics) {
      if (metric.metric != now->metric) continue;
      in_turns = fmt::format(" (in turns {})", readable_change(metric.before, metric.after));
    }
    slower.push_back(
        fmt::format("{} {}{}", each.id, readable_change(now->before, now->after), in_turns));
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
  std::string note =
      fmt::format("slower than when it was approved: {}. ", some_of(slower, kMostNamed));
  note += with_approved
              ? "What was approved is as slow now, so look at what both sides share: machine, "
                "compiler, environment, files that are in no commit"
              : "No commit since the other side did that, but an earlier one, or what both sides "
                "share: machine, compiler, environment, files that are in no commit";
  if (stored.before_session && stored.after_session) {
    note += ". What differs since: " +
            results::listed(results::differences(*stored.before_session, *stored.after_session));
  }
  return note;
}

}  // namespace warpgauge::ci
