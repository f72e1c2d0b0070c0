// SPDX-License-Identifier: Apache-2.0
// Finds the commit that made kernels worse. Halves the range in a worktree of its own, and measures
// each commit in turns with the good revision. Reads the user's checkout, and never changes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/policy/policy.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct BisectOptions {
  std::string good;           // revisions, as git understands them
  std::string bad = "HEAD";   // that regressed since
  std::string build;          // see RevisionRequest
  RunOptions run;             // with the suite of the current checkout
  std::filesystem::path out;  // folder for what each commit was measured to, by its SHA
};

struct Culprit {
  // The commit, or all candidates if some could not be judged; the newest first.
  std::vector<std::string> shas;
  std::string description;  // of the newest: "1b2c3d4e5f60 Widen the tile (Ann, 2026-11-20)"
  GateVerdict verdict;      // of the newest against the good revision
};

// Throws what Revision, gate_interleaved() and BuildError say of the good and the bad revision;
// Error (no verdict) where the bad one has not regressed, or does not descend from the good one and
// their merge base cannot be judged; (usage) where the merge base has regressed as well.
[[nodiscard]] Culprit bisect(const BisectOptions& options, Effort effort, const Policy& policy);

}  // namespace warpgauge::ci
