// SPDX-License-Identifier: Apache-2.0
// What two builds that run in turns cannot show: both are built and measured now.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Which benchmarks are slower than when they were approved, though in turns with an earlier commit
// they are not: what both sides share is another by now, as machine and compiler are. Empty: none
// is. turns: the verdict on the two sides; stored: of the new side against the baseline.
[[nodiscard]] std::string note_on_what_sides_share(const GateVerdict& turns,
                                                   const GateVerdict& stored);

}  // namespace warpgauge::ci
