// SPDX-License-Identifier: Apache-2.0
// How often the gate is wrong, and what it finds. Runs the gate itself many times, on processes
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

// Another rule for whether one benchmark is slower than another. Measured beside the gate. It sees
// the samples of one process a side, as other tools are used, or the times of several processes.
struct CompetingRule {
  using Samples = std::span<const double>;

  const char* name;
  const char* description;
  bool (*is_slower)(Samples before, Samples after);
  bool of_processes = false;  // it is given a time of each process that a gate starts with
};

// How many samples a side another tool's rule needs at least.
inline constexpr std::size_t kFewestSamples = 9;

struct CalibrationOptions {
  Effort effort;
  int trials = 1000;       // gates without a slowdown
  std::uint64_t seed = 1;  // the same seed gives the same result
  bool slowed = true;      // false: tries only gates without a slowdown
  std::vector<CompetingRule> competing_rules;
  bool in_turns = false;  // also gates that measure in turns what a baseline leaves open
};

// Kernels of similar duration: from this one up to the next.
struct DurationClass {
  double least_ns;
  const char* name;
};
[[nodiscard]] const std::vector<DurationClass>& duration_classes();

// By how much a benchmark is slowed down, as shares, in ascending order.
[[nodiscard]] const std::vector<double>& slowdowns();

struct RuleRates {
  std::string name;
  Proportion gates_wrong;    // without a slowdown, but with a benchmark called slower
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
  // The lowest floor, as a share, with which identical code gets a verdict in enough gates and is
  // called slower in none.
  double asked_floor = 0;

  // The smallest slowdown found in 99 % of all cases, with every larger one found as often.
  // Nothing: there is none.
  [[nodiscard]] std::optional<double> smallest_found() const;
};

// Where the two sides of a gate come from. Interleaved: one session, as with gate --against. Apart:
// one session, with all others as its baseline. Imported results and programs are never measured in
// turns: if there is one session only, both sides are drawn from it, as if two had been compared.
struct SettingRates {
  Design design = Design::interleaved;
  bool then_in_turns = false;    // what the baseline leaves open, both sides of the one session
  std::vector<RuleRates> rules;  // ours first
  std::vector<BenchmarkRates> benchmarks;
};

// A benchmark that was slowed down for real, in a suite of its own.
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

// `slowed` is the same suite with slower kernels, from the device of one of the sessions.
// Benchmarks that the policy does not gate are left out.
//
// In a trial all benchmarks get the same processes, so that what the benchmarks of a process share
// stays shared. Every tenth benchmark, drawn again for each trial, has other code on the new side,
// but for the policy's controls. It is as fast as before, or all its times are multiplied. They are
// so few that the rest of the suite is as it was.
//
// Throws Error (usage) for sessions of different devices, for fewer than two processes, if no
// benchmark is in all sessions, and for `slowed` on a device that no session has.
[[nodiscard]] Calibration calibrate(const std::vector<results::Results>& sessions,
                                    const std::optional<results::Results>& slowed,
                                    const Policy& policy, const CalibrationOptions& options);

}  // namespace warpgauge::ci
