// SPDX-License-Identifier: Apache-2.0
// What one metric of one benchmark can be judged by, before the suite has its say.
#pragma once

#include <optional>
#include <string>

#include "ci/verdict/code_identity.hpp"
#include "ci/verdict/estimate.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Where the figures come from, as far as it matters to how they are judged.
struct Origin {
  enum class Program { warpgauge, imported, plain };
  Program program = Program::plain;
  bool gpu_clock = false;  // times are a GPU's timestamps
};

[[nodiscard]] Origin origin_of(const std::optional<results::Session>& session);
[[nodiscard]] Origin origin_of(const results::Results& before, const results::Results& after);

inline constexpr const char* kAbsent = "absent from the new results";

// The two sides of a benchmark.
struct ResultPair {
  const results::BenchmarkResult& before;
  const results::BenchmarkResult& after;
  const CodeIdentity& code;
};

// Figures, basis and reasons; no evidence yet. rule: as it counts for figures of this origin.
[[nodiscard]] MetricEstimate metric_estimate(const std::string& name, const Rule& rule,
                                             const ResultPair& pair, Origin::Program program);

}  // namespace warpgauge::ci
