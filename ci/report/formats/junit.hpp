// SPDX-License-Identifier: Apache-2.0
// The verdict as JUnit XML, which most CI systems show as tests.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Each benchmark is a test case: its class is the family, its name the rest of the id, its time the
// kernel's; properties hold the other metrics. A benchmark that stops the gate has a failure, or an
// error if it was not measured. One that passes without a verdict is skipped.
[[nodiscard]] std::string junit_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
