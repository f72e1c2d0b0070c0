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

// Of the same code (ids), a kernel whose time is open still: the same if the innermost range around
// it that is timed passes, and the worst that the kernel's interval has would move that range by
// less than a fifth of its floor.
void decide_by_range(const std::set<std::string>& same_code,
                     std::vector<BenchmarkVerdict>& decided);

}  // namespace warpgauge::ci
