// SPDX-License-Identifier: Apache-2.0
// Where the figures of two sides come from, as far as it matters to how they are judged: by whose
// program, and by what clock.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/statistics.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// So many readings of a process tell the grid that its clock reads on.
inline constexpr std::size_t kReadingsForGrid = 50;

struct Origin {
  enum class Program { warpgauge, imported, plain };
  Program program = Program::plain;
  Clock clock = Clock::cpu;
  std::string device = {};   // its key; empty: not known
  std::string command = {};  // of a program that is no suite
  // All times of another program are whole steps of this, in nanoseconds; 0: they are not.
  double grid = 0;
  std::string compute_capability = {};  // of the new side's GPU, "9.0"; empty: none, or not known
  bool has_clock = true;                // the new side's device; not of the emulator, nor of none
  bool cpu_time = false;                // both sides' times are of a suite on a CPU, the fastest

  [[nodiscard]] Timing timing(Design design) const { return {design, clock, device, command}; }
};

[[nodiscard]] Origin origin_of(const std::optional<results::Session>& session);

// Whether of each session's processes only the fastest quarter counts: of the time of a suite on a
// CPU, if there are enough.
[[nodiscard]] bool is_by_fastest_quarter(const std::string& metric, const Origin& origin,
                                         const std::vector<ProcessFigures>& sessions);

// The coarser clock of the two. Where that is a processor's, or the files do not say, but their
// times lie on what the policy has as the resolution of a GPU's timestamps, they are such.
[[nodiscard]] Origin origin_of(const results::Results& before, const results::Results& after,
                               const Policy& policy);

// The policy's rule, where times lie on a grid with two of its steps as the least absolute floor:
// at the same speed figures may be one step off, to either side.
[[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric,
                            const Policy& policy, const Origin& origin, Design design);

// That times lie on a grid, and that floors were measured on other devices.
[[nodiscard]] std::vector<std::string> notes_on_clock(const Policy& policy, const Origin& origin);

}  // namespace warpgauge::ci
