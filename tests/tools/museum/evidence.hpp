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
  std::string name;  // "after", "faint", "twin", "real-…", "unchanged-…", "emulated-after" …
  results::Results before;
  results::Results after;
};

// Of each folder below `folder` that has both sides, also as .json.zst, by name. Throws Error (not
// measured) where there is none.
[[nodiscard]] std::vector<MuseumComparison> read_museum(const std::filesystem::path& folder);

// As Markdown. command: what printed it.
[[nodiscard]] std::string evidence_tables(const std::vector<MuseumComparison>& museum,
                                          const Policy& policy, const std::string& command);

}  // namespace warpgauge::ci
