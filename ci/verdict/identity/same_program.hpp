// SPDX-License-Identifier: Apache-2.0
// Of a program, what the same machine code decides: what the clock leaves open.
#pragma once

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// An open time of the same code, launched alike (see same_in_program()): the same if it is within
// the floor as far as processes differ, whatever sessions may; or, where no more processes follow,
// if its mean is. Where they do, they help.
void decide_by_same_program(bool more_may_follow, MetricVerdict& metric);

}  // namespace warpgauge::ci
