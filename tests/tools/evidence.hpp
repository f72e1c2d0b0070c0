// SPDX-License-Identifier: Apache-2.0
// What Warpgauge and other tools' rules say of the museum (tests/museum), from what was recorded of
// it: regressions found and missed, and what did not get slower but was called so.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Two sides that tests/museum/run.sh measured in turns.
struct MuseumComparison {
  std::string name;  // "after", "twin", "real-…", "unchanged-…"
  results::Results before;
  results::Results after;
};

// Of each folder below `folder` that has both sides, by name. Throws Error (not measured) where
// there is none.
[[nodiscard]] std::vector<MuseumComparison> read_museum(const std::filesystem::path& folder);

// What a rule says that sees all processes of both sides.
enum class Said { slower, open, not_slower };

struct PooledRule {
  const char* name;
  const char* description;
  Said (*says)(const results::BenchmarkResult& before, const results::BenchmarkResult& after);
};

// A test of Mann and Whitney over all launches, and one of Welch over processes, with a floor.
[[nodiscard]] const std::vector<PooledRule>& pooled_rules();

// Chance that the means of two samples differ at least so much, either way, by Welch's test. 1:
// there are fewer than two of either.
[[nodiscard]] double welch_p(const std::vector<double>& a, const std::vector<double>& b);

// As Markdown. command: what printed it.
[[nodiscard]] std::string evidence_tables(const std::vector<MuseumComparison>& museum,
                                          const Policy& policy, const std::string& command);

}  // namespace warpgauge::ci
