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

// Lowers the rule's floors to its steady ones, as far as the processes of both sides allow: the
// relative floor is kFloorOfSpread times their deviation, no lower than the steady floors and no
// higher than the rule's own, which become its usual floor. Where the rule has no steady ones, or
// nothing is known of the processes, it stays as it is. That a floor follows what was measured
// makes no alarm of what is slower by less than the steady floors, for they are its least.
void narrow(Rule& rule, const TwoSides& sides);

// Of two sides whose floors were narrowed: what is worse by more than the floor is found, and what
// is no worse than the usual one passes. The estimate's floor becomes the one that decided.
[[nodiscard]] Shift classify(Estimate& estimate, double alpha, std::optional<double> usual_floor);

void take_floors(const Rule& rule, TwoSides& sides);

}  // namespace warpgauge::ci
