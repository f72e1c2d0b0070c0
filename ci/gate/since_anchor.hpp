// SPDX-License-Identifier: Apache-2.0
// Compares the working tree with the anchors of its benchmarks, to find what many small changes
// lost. Builds each anchor's revision, and measures it in turns with this one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/against.hpp"
#include "ci/gate/gate.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/measure/revision/revision_build.hpp"
#include "ci/policy/policy.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct SinceAnchorOptions {
  std::filesystem::path baselines;    // folder
  std::string build;                  // see RevisionRequest
  std::optional<std::uint64_t> seed;  // of the order of processes; absent: another each time
  TimingScope scope = TimingScope::changed;
  // A folder: for each anchor's revision anchor-SHA.json, and since-SHA.json with this side.
  std::filesystem::path out;
  ReplaceResults replace = replace_at_once;  // called for each revision
  // Called for each anchor's revision that does not build; the others are judged anyway.
  std::function<void(const BuildError&)> build_failed = [](const auto&) {};
};

// Judges only time, by the policy's creep_limit. A note names benchmarks without an anchor. A
// revision that cannot be built or measured is a shortfall of the verdict.
//
// Throws Error: usage, for a suite without a clock; no verdict, where no benchmark has an anchor;
// not measured, where no anchor's revision can be built or measured, and what load_baseline()
// throws; Interrupted.
[[nodiscard]] GateVerdict gate_since_anchor(const SinceAnchorOptions& options,
                                            const RunOptions& run, Effort effort,
                                            const Policy& policy, const std::set<Verdict>& allowed);

}  // namespace warpgauge::ci
