// SPDX-License-Identifier: Apache-2.0
// Verdicts for the tests of reports: one with one of everything, and one whose every text is meant
// to break out of where it is shown.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

results::Session sample_session(const std::string& created, const std::string& driver);

// One of everything.
GateVerdict everything();

// Markup, quotes, commands to terminals and runners, and characters that some formats forbid.
const std::vector<std::string>& hostile_texts();
GateVerdict hostile();

}  // namespace warpgauge::ci
