// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/aggregate.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/text/notes.hpp"

namespace warpgauge::ci {
namespace {

// Critical ones that do not pass lead.
std::vector<BenchmarkVerdict> gravest_first(std::vector<BenchmarkVerdict> benchmarks) {
  const auto rank = [](const BenchmarkVerdict& benchmark) {
    const bool leads = benchmark.critical && exit_status(benchmark.verdict) != kExitPass;
    return std::tuple(!leads, -static_cast<int>(benchmark.verdict), std::string_view(benchmark.id));
  };
  std::sort(benchmarks.begin(), benchmarks.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return benchmarks;
}

}  // namespace

GateVerdict aggregate(std::vector<BenchmarkVerdict> benchmarks, const Estimates& estimates,
                      const results::Results& before, const results::Results& after,
                      const std::set<Verdict>& allowed) {
  GateVerdict verdict;
  verdict.policy = estimates.policy;
  verdict.before = before.name;
  verdict.after = after.name;
  verdict.before_session = before.session;
  verdict.after_session = after.session;
  if (after.session) verdict.device = after.session->device.name;
  verdict.ceilings = ceilings_of(after).bytes_per_second;
  verdict.no_baseline = estimates.no_baseline;
  verdict.allowed = allowed;
  verdict.shortfalls = estimates.shortfalls;
  verdict.notes = estimates.notes;
  for (const auto& notes : {notes_on_code(estimates, benchmarks), notes_of_benchmarks(after)}) {
    verdict.notes.insert(verdict.notes.end(), notes.begin(), notes.end());
  }
  for (BenchmarkVerdict& benchmark : benchmarks) {
    for (const MetricVerdict& metric : benchmark.metrics) {
      benchmark.verdict = std::max(benchmark.verdict, metric.verdict);
    }
  }
  verdict.benchmarks = gravest_first(std::move(benchmarks));
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

GateVerdict joined(std::vector<GateVerdict> parts) {
  GateVerdict whole = std::move(parts.front());
  const auto add = [](auto& from, auto& to) {
    for (auto& each : from) {
      if (std::find(to.begin(), to.end(), each) == to.end()) to.push_back(std::move(each));
    }
  };
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::move(parts[i].benchmarks.begin(), parts[i].benchmarks.end(),
              std::back_inserter(whole.benchmarks));
    add(parts[i].notes, whole.notes);
    add(parts[i].shortfalls, whole.shortfalls);
  }
  whole.benchmarks = gravest_first(std::move(whole.benchmarks));
  whole.exit_status = exit_status(whole);
  return whole;
}

}  // namespace warpgauge::ci
