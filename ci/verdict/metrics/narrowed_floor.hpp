// SPDX-License-Identifier: Apache-2.0
// The floors of two sides; of two in turns by what their processes differ by.
#pragma once

#include <optional>

#include "ci/policy/policy.hpp"
#include "ci/statistics/statistics.hpp"
#include "ci/statistics/suite_model.hpp"

namespace warpgauge::ci {

// So many times what processes differ by: ten processes a side then show that nothing changed in
// all but one of a few hundred cases.
inline constexpr double kFloorOfSpread = 2.5;

// Lowers the rule's floors to its steady ones, as far as the processes of both sides allow. The
// relative floor becomes kFloorOfSpread times their deviation, but no lower than the steady floors
// and no higher than the rule's own, which become its usual floor. The resolution becomes the
// steady one where the processes of each side, but for the furthest, spread over the clock's steps.
// Where the rule has no steady floors, or no side has two processes, the rule stays as it is. A
// floor that follows the data raises no alarm below the steady floors, since it is never lower than
// these.
void narrow(Rule& rule, const TwoSides& sides);

// Of two sides whose floors were narrowed: what is worse by more than the floor is found, and what
// is no worse than the usual one passes. The estimate's floor becomes the one that decided.
[[nodiscard]] Shift classify(Estimate& estimate, double alpha, std::optional<double> usual_floor);

void take_floors(const Rule& rule, TwoSides& sides);

}  // namespace warpgauge::ci
