// SPDX-License-Identifier: Apache-2.0
// Rules by which other tools say that one benchmark is slower than another, from the samples of one
// process a side, as those tools are used. Here to be measured beside ours; no verdict uses them.
#pragma once

#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"

namespace warpgauge::ci {

using Samples = CompetingRule::Samples;

// Google Benchmark's compare.py, both of nvbench_compare.py's, and a threshold of 5 %.
[[nodiscard]] const std::vector<CompetingRule>& competing_rules();

// Whether the rule's tool says of these that it cannot tell, which only the newer nvbench_compare
// does.
[[nodiscard]] bool leaves_open(const CompetingRule& rule, Samples before, Samples after);

// Chance that two samples of one distribution differ at least so much, either way: U of Mann and
// Whitney by its normal approximation, corrected for ties and continuity.
[[nodiscard]] double mann_whitney_p(Samples a, Samples b);

}  // namespace warpgauge::ci
