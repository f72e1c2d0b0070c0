// SPDX-License-Identifier: Apache-2.0
// What one metric of one benchmark can be judged by, before the suite has its say.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "ci/verdict/machine_code/code_changes.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

inline constexpr const char* kAbsent = "absent from the new results";

// The two sides of a benchmark.
struct ResultPair {
  const results::BenchmarkResult& before;
  const results::BenchmarkResult& after;
  const CodeIdentity& code;
};

// Figures, basis and reasons; no evidence yet. rule: as it counts for figures of this origin. What
// kernels take is that of the code that both sides have, where one of them is for an architecture
// that the other lacks.
[[nodiscard]] MetricEstimate metric_estimate(const std::string& name, const Rule& rule,
                                             const ResultPair& pair, const Origin& origin);

// The same of what code and launches of both sides tell.
[[nodiscard]] MetricEstimate metric_estimate(const CodeMetric& code, const Rule& rule);

// By which the metric is judged: of a suite on a CPU those of the fastest quarter of the processes
// of each session.
[[nodiscard]] std::vector<ProcessFigures> judged_figures(const results::Metric& figures,
                                                         const MetricEstimate& metric);

// How figures of this origin could be measured in turns.
[[nodiscard]] Evidence::InTurns in_turns(const Origin& origin);

}  // namespace warpgauge::ci
