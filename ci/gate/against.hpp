// SPDX-License-Identifier: Apache-2.0
// Compares the working tree with another revision, both measured in turns on one device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/policy/policy.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

// Replaces earlier results by new ones, which are complete files beside them.
using ReplaceResults = std::function<void(results::NewFiles& files)>;

inline void replace_at_once(results::NewFiles& files) { files.replace(); }

struct AgainstOptions {
  std::string revision;               // as git understands it
  std::string build;                  // see RevisionRequest
  std::filesystem::path other_build;  // instead of a revision: see run_of_build()
  std::optional<std::uint64_t> seed;  // of the order of processes; absent: another each time
  TimingScope scope = TimingScope::changed;
  std::filesystem::path out;            // results file of this side
  std::filesystem::path out_revision;   // … of the revision
  std::set<std::string> known_metrics;  // see ComparisonTerms
  // Command that carries over the baseline of the other build, if that has another environment.
  std::string carry_command = {};
  ReplaceResults replace = replace_at_once;
};

// Two suites to measure in turns on one device.
struct InterleavedSides {
  RunOptions before;
  std::string name_before;
  std::filesystem::path out_before;  // results file
  RunOptions after;
  std::filesystem::path out;
  std::optional<std::uint64_t> seed;  // as above
  TimingScope scope = TimingScope::changed;
  std::set<std::string> known_metrics = {};  // see ComparisonTerms
  ReplaceResults replace = replace_at_once;
  bool compares_builds = false;  // see ComparisonTerms
  // If given, only these are timed, and judged only by their time.
  std::optional<std::set<std::string>> time_alone = std::nullopt;
};

// Writes both results files. Throws what Interleaved and compare() throw.
[[nodiscard]] GateVerdict gate_interleaved(const InterleavedSides& sides, Effort effort,
                                           const Policy& policy, const std::set<Verdict>& allowed);

// Where the revisions' names mislead: a suite built from another revision than the checkout's,
// uncommitted changes.
[[nodiscard]] std::vector<std::string> notes_on_checkout(const GateVerdict& verdict,
                                                         const std::string& other);

// The other build exists already. Its compiler, toolkit or flags may differ, and the report says
// so. Throws what run_of_build(), source_of_build() and gate_interleaved() throw.
[[nodiscard]] GateVerdict gate_against_build(const AgainstOptions& options, RunOptions run,
                                             Effort effort, const Policy& policy,
                                             const std::set<Verdict>& allowed);

// Throws what Revision and gate_interleaved() throw.
[[nodiscard]] GateVerdict gate_against(const AgainstOptions& options, RunOptions run, Effort effort,
                                       const Policy& policy, const std::set<Verdict>& allowed);

}  // namespace warpgauge::ci
