// SPDX-License-Identifier: Apache-2.0
// Finds the commit that made kernels worse: `git bisect run` in a worktree of its own, each commit
// measured in turns with the good revision. The checkout that is worked in is read, never changed.
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
  // That starts this program again for one step: all but the last word of it, which is the filter.
  std::vector<std::string> step_command;
};

struct Culprit {
  // The commit, or all of which it may be one, because they could not be judged; the newest first.
  std::vector<std::string> shas;
  std::string description;  // of the newest: "1b2c3d4e5f60 Widen the tile (Ann, 2026-11-20)"
  GateVerdict verdict;      // of the newest against the good revision
};

// Throws what Revision, gate_in_turns() and BuildError say of the good and the bad revision; Error
// (no verdict) where the bad one has not regressed, or does not descend from the good one and their
// merge base cannot be judged; (usage) where git cannot bisect between them.
[[nodiscard]] Culprit bisect(const BisectOptions& options, Effort effort, const Policy& policy);

// An extended regular expression for these ids and no others.
[[nodiscard]] std::string pattern_for(const std::vector<std::string>& ids);

// What `git bisect run` makes of a status: go on as after a good or a bad commit, leave this one
// out, or stop.
inline constexpr int kBisectGood = 0;
inline constexpr int kBisectBad = 1;
inline constexpr int kBisectSkip = 125;
inline constexpr int kBisectStop = 255;

// Whether the program was started for one: what fails must then end it with kBisectStop, since
// other statuses say something of the commit.
[[nodiscard]] bool is_bisect_step(int argc, const char* const* argv);

// One step: judges what is checked out in bisect()'s worktree. Throws what is no matter of the
// commit.
[[nodiscard]] int bisect_step(const BisectOptions& options, Effort effort, const Policy& policy);

}  // namespace warpgauge::ci
