// SPDX-License-Identifier: Apache-2.0
// Of a program, what the same machine code decides: what the clock leaves open.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// An open time of the same code, launched alike (see same_in_program()): the same if it is within
// the floor as far as processes differ, whatever sessions may; or, where no more processes follow,
// if its mean is. Where they do, they help.
void decide_by_same_program(bool more_may_follow, MetricVerdict& metric);

// An open time of what is the same but for kernels that are launched only now, which by themselves
// make it slower by `added` (see added_in_program()): regressed if that is beyond the floor, and so
// is the time as far as processes differ, whatever sessions may. How far these differ is the doubt
// of a difference that nothing explains.
void decide_by_what_was_added(double added, MetricVerdict& metric);

// Of the same code (ids), a kernel whose time is open still: the same if the innermost range around
// it that is timed passes, and the worst that the kernel's interval has would move that range by
// less than a fifth of its floor.
void decide_by_range(const std::set<std::string>& same_code,
                     std::vector<BenchmarkVerdict>& decided);

}  // namespace warpgauge::ci
