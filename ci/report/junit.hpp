// SPDX-License-Identifier: Apache-2.0
// The verdict as JUnit XML, which most systems of continuous integration show as tests.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// A test case a benchmark: its class is the family, its name the rest of the id, its time the
// kernel's, its properties the other metrics. One that keeps the gate from passing has a failure,
// or an error where it was not measured; one that was let pass though it has no verdict is skipped.
[[nodiscard]] std::string junit_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
