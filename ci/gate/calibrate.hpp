// SPDX-License-Identifier: Apache-2.0
// How often the gate is wrong, and what it finds: the gate itself, run many times on processes
// drawn from recorded ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/policy/policy.hpp"
#include "ci/statistics/proportion.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A rule by which another tool says that one benchmark is slower than another, from the samples of
// one process a side, as that tool is used. To be measured beside the gate.
struct CompetingRule {
  using Samples = std::span<const double>;

  const char* name;
  const char* description;
  bool (*is_slower)(Samples before, Samples after);
};

// Fewest samples a side with which another tool's rule is tried.
inline constexpr std::size_t kFewestSamples = 9;

struct CalibrationOptions {
  Effort effort;
  int trials = 1000;       // gates without a slowdown
  std::uint64_t seed = 1;  // with which all of it is the same again
  bool slowed = true;      // false: only gates without a slowdown are tried
  std::vector<CompetingRule> competing_rules;
  bool in_turns = false;  // also gates that measure in turns what a baseline leaves open
};

// Kernels of like duration: from this one on, up to the next.
struct DurationClass {
  double least_ns;
  const char* name;
};
[[nodiscard]] const std::vector<DurationClass>& duration_classes();

// By which a benchmark was slowed down, as shares. Ascending.
[[nodiscard]] const std::vector<double>& slowdowns();

struct RuleRates {
  std::string name;
  Proportion gates_wrong;    // without a slowdown, with any benchmark called slower
  Proportion entries_wrong;  // benchmarks of these gates
  Proportion entries_open;   // inconclusive; none tried: the rule knows no such thing
  // Slowed benchmarks that were called slower, by class and slowdown.
  std::vector<std::vector<Proportion>> found;
};

struct BenchmarkRates {
  std::string id;
  double time_ns = 0;
  std::vector<Proportion> found;  // by slowdown
  Proportion open;                // without a slowdown
  // The floor, as a share, below which identical code would be left open in too many gates, or be
  // called slower in one.
  double asked_floor = 0;

  // The smallest that was found in 99 % of all cases, as were all greater ones. Nothing: none was.
  [[nodiscard]] std::optional<double> smallest_found() const;
};

// What the two sides of a gate are drawn from: interleaved, one session, as by gate --against;
// apart, one session, and all others as its baseline. What was imported, and a program that is no
// suite, nobody measures in turns; of one such session both sides are drawn, as if two had been
// compared.
struct SettingRates {
  Design design = Design::interleaved;
  bool then_in_turns = false;    // what the baseline leaves open, both sides of the one session
  std::vector<RuleRates> rules;  // ours first
  std::vector<BenchmarkRates> benchmarks;
};

// What was slowed down for real, in a suite of its own.
struct SlowedRates {
  std::string id;
  double ratio = 1;  // of the means of all processes
  Proportion found;
};

struct Calibration {
  CalibrationOptions options;
  std::vector<results::Session> sessions;
  std::vector<SettingRates> settings;
  std::vector<SlowedRates> slowed;
  std::size_t fewest_processes = 0;  // of a session
  bool with_replacement = false;     // drawn, since sessions have not enough for two sides
  bool with_samples = false;         // else competing rules are left out
  std::size_t left_out = 0;          // benchmarks that some session has no time of
};

// Each of `sessions` is one. `slowed`: the same suite with slower kernels, on the device of one of
// these sessions. Benchmarks that the policy does not gate take no part.
//
// In a trial each benchmark gets the processes of the same number, so that what all benchmarks of a
// process share stays shared. Every tenth benchmark, drawn again in each trial, those excepted that
// the policy names as controls, is of other code on the new side: as fast as before, or slower, by
// all its times multiplied. So few that the rest of the suite still is what it was.
//
// Throws Error: usage, for sessions of different devices, fewer than two processes or no benchmark
// that all have; for `slowed` on a device of none of them.
[[nodiscard]] Calibration calibrate(const std::vector<results::Results>& sessions,
                                    const std::optional<results::Results>& slowed,
                                    const Policy& policy, const CalibrationOptions& options);

}  // namespace warpgauge::ci
