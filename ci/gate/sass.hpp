// SPDX-License-Identifier: Apache-2.0
// The machine code of what changed, side by side, where both builds are there.
#pragma once

#include "ci/measure/measurement.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Adds it to the kernels of benchmarks that moved or may have, of a few kernels; a note says why
// where it cannot. Of what cannot be read there is none: the verdict does not depend on it.
void add_side_by_side(const RunOptions& before, const RunOptions& after, GateVerdict& verdict);

}  // namespace warpgauge::ci
