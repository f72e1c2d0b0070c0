// SPDX-License-Identifier: Apache-2.0
// What a program launched on one side and what it launched on the other: the same kernel may have
// another name or another launch shape.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Whether these are of a program that is not a suite.
[[nodiscard]] bool is_of_program(const results::Results& results);

struct ProgramMatch {
  // The side before, in which what is the same has the ids of the side after.
  results::Results before;
  std::map<std::string, std::string> was;  // by id of the side after: of the side before, another
};

// Within a range, of what one side alone has: the same machine code in the same shape is the same;
// then the same kernel in another shape, if there is one such on either side; then what is the only
// one left on either side, which took the other's place.
[[nodiscard]] ProgramMatch match_programs(const results::Results& before,
                                          const results::Results& after);

// "launched otherwise than before: a/b/1·32 (was a/b/1·64)". Empty: nothing is.
[[nodiscard]] std::string note_on_match(const ProgramMatch& match);

// Two sides of a program, matched: what one side alone launched is decided by a range, and what
// takes little time is only shown.
class ProgramSides {
 public:
  // Of suites: neither.
  ProgramSides() = default;
  // Both must outlive it.
  ProgramSides(const results::Results& before, const results::Results& after, double least_share);

  // The innermost range around that both sides timed, whose time decides in place of what only one
  // side has. Empty: both have it, or there is none.
  [[nodiscard]] std::string range_for(const results::BenchmarkResult* before,
                                      const results::BenchmarkResult* after) const;

  [[nodiscard]] bool is_small(const std::string& id) const { return small_.contains(id); }

 private:
  const results::Results* before_ = nullptr;
  const results::Results* after_ = nullptr;
  std::set<std::string> small_;
};

}  // namespace warpgauge::ci
