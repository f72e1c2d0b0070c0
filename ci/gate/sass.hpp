// SPDX-License-Identifier: Apache-2.0
// The machine code of what changed, side by side, if both builds exist.
#pragma once

#include "ci/measure/measurement.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Adds it to a few kernels of benchmarks that moved, or may have. A note says why if it cannot. The
// verdict does not depend on it.
void add_side_by_side(const RunOptions& before, const RunOptions& after, GateVerdict& verdict);

}  // namespace warpgauge::ci
