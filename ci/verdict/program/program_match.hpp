// SPDX-License-Identifier: Apache-2.0
// What a program launched on one side and what it launched on the other: the same kernel may have
// another name or another launch shape.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Whether these are of a program that is not a suite.
[[nodiscard]] bool is_of_program(const results::Results& results);

struct ProgramMatch {
  // The side before, in which what is the same has the ids of the side after.
  results::Results before;
  // The side after, if it differs: the whole program has no time where it had none before.
  std::optional<results::Results> after;
  std::map<std::string, std::string> was;  // by id of the side after: of the side before, another
  // Launches of one time that the range is entered, before and after, of kernels whose time before
  // is that of one launch had there been as many as after. By id.
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> by_entering;
};

// Within a range, of what one side alone has: the same machine code in the same shape is the same;
// then the same kernel in another shape, if there is one such on either side and both say how often
// they are launched each time that the range is entered. What is left came or went, and the range's
// time decides. Where ranges cover the program on one side, the whole has no time on either.
[[nodiscard]] ProgramMatch match_programs(const results::Results& before,
                                          const results::Results& after);

// Ids of kernels that are of the same machine code on both sides and are launched alike, in one
// environment; of ranges and the whole program, if that holds of all kernels within and what has no
// machine code here, since it is small or changes, takes less than the floor. identities: of these
// two.
[[nodiscard]] std::set<std::string> same_in_program(const results::Results& before,
                                                    const results::Results& after,
                                                    const CodeIdentities& identities,
                                                    const Policy& policy);

// By how much ranges, and the whole program, are slower by kernels that are launched only now, as a
// share of the rest, by id: where all other kernels within are of the same code (see above) on both
// sides.
[[nodiscard]] std::map<std::string, double> added_in_program(const results::Results& before,
                                                             const results::Results& after,
                                                             const std::set<std::string>& same);

// "launched otherwise than before: a/b/1·32 (was a/b/1·64)", and what was compared by entering.
[[nodiscard]] std::vector<std::string> notes_on_match(const ProgramMatch& match);

// Throws Error (no verdict) where the two are of different programs, or one is of a suite. Both
// have a session.
void refuse_other_program(const results::Results& before, const results::Results& after);

// Two sides of a program, matched: what one side alone launched is decided by a range, and what
// takes little time, or waits for others, is only shown, on one side as on both.
class ProgramSides {
 public:
  // Of suites: neither.
  ProgramSides() = default;
  // Both must outlive it.
  ProgramSides(const results::Results& before, const results::Results& after, const Policy& policy);

  // Why what only one side has is neither new nor missing: the innermost range around it that both
  // sides timed decides, or it takes little time. Empty: both have it, or it is one of the two.
  [[nodiscard]] std::string why_left_to_others(const results::BenchmarkResult* before,
                                               const results::BenchmarkResult* after) const;

  // Of a kernel of a communication library the time, unless an override has gate = true for it.
  [[nodiscard]] bool only_shows(const std::string& id, const std::string& metric) const;

 private:
  [[nodiscard]] std::string range_for(const std::string& id) const;

  const results::Results* before_ = nullptr;
  const results::Results* after_ = nullptr;
  const Policy* policy_ = nullptr;
  std::set<std::string> small_;
};

}  // namespace warpgauge::ci
