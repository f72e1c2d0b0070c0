// SPDX-License-Identifier: Apache-2.0
// Holds what is worked on against another revision, both measured interleaved on one device.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "ci/gate/gate.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/policy/policy.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

struct AgainstOptions {
  std::string revision;               // as git understands it
  std::string build;                  // see RevisionRequest
  std::optional<std::uint64_t> seed;  // of the order of processes; absent: another each time
  TimingScope scope = TimingScope::changed;
  std::filesystem::path out;            // results file of this side
  std::filesystem::path out_revision;   // … of the revision
  std::set<std::string> known_metrics;  // see ComparisonTerms
  // Once new results are there, before they are written in place of earlier ones.
  std::function<void()> before_writing = [] {};
};

// Two suites, to be measured interleaved on one device.
struct InterleavedSides {
  RunOptions before;
  std::string name_before;
  std::filesystem::path out_before;  // results file
  RunOptions after;
  std::filesystem::path out;
  std::optional<std::uint64_t> seed;  // as above
  TimingScope scope = TimingScope::changed;
  std::set<std::string> known_metrics = {};  // see ComparisonTerms
  std::function<void()> before_writing = [] {};
};

// Writes both results files. Throws what Interleaved and compare() throw.
[[nodiscard]] GateVerdict gate_interleaved(const InterleavedSides& sides, Effort effort,
                                           const Policy& policy, const std::set<Verdict>& allowed);

// Throws what Revision and gate_interleaved() throw.
[[nodiscard]] GateVerdict gate_against(const AgainstOptions& options, RunOptions run, Effort effort,
                                       const Policy& policy, const std::set<Verdict>& allowed);

}  // namespace warpgauge::ci
