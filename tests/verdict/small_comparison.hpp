// SPDX-License-Identifier: Apache-2.0
// What the tests of comparing share: one or two benchmarks, and what was decided of them.
#pragma once

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {

inline Measured counted(double wavefronts, std::vector<results::SourceLine> lines = {}) {
  return {.id = "transpose/padded/256x192",
          .counters = {{"shared_load_requests", 1536}, {"shared_load_wavefronts", wavefronts}},
          .lines = std::move(lines)};
}

inline Measured timed(std::vector<double> times,
                      const std::string& id = "transpose/padded/256x192") {
  return {.id = id, .times_ns = std::move(times)};
}

// When a session is that is held against one of results_of(): the same session would be noted.
inline constexpr const char* kLater = "2026-11-21T05:00:00Z";

inline GateVerdict judge(const std::vector<Measured>& before, const std::vector<Measured>& after,
                         const results::Device& device = h200()) {
  GateVerdict verdict =
      compare(results_of(device, before), results_of(device, after, kLater), built_in_policy());
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

inline Verdict only(const GateVerdict& verdict) {
  EXPECT_EQ(verdict.benchmarks.size(), 1u);
  return verdict.benchmarks.front().verdict;
}

inline const BenchmarkVerdict& verdict_on(const GateVerdict& verdict, const std::string& id) {
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    if (each.id == id) return each;
  }
  throw std::logic_error("no benchmark " + id);
}

inline const MetricVerdict& metric(const BenchmarkVerdict& benchmark, const std::string& name) {
  for (const MetricVerdict& each : benchmark.metrics) {
    if (each.metric == name) return each;
  }
  throw std::logic_error("no metric " + name);
}

inline const MetricVerdict& metric(const GateVerdict& verdict, const std::string& name) {
  return metric(verdict.benchmarks.front(), name);
}

// The first eight lines of a policy: errors name what follows as line 9.
inline constexpr const char* kTimeAndResources = R"([[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
[[metric]]
names = ["registers", "spill_store_bytes", "barriers"]
class = "exact"
optional = true
)";

inline Policy barriers_policy(const std::string& more = "") {
  return parse_policy("[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n" + more,
                      "policy.toml");
}

}  // namespace warpgauge::ci
