// SPDX-License-Identifier: Apache-2.0
// The verdict as SARIF 2.1.0, within what GitHub's code scanning accepts.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// More results than GitHub takes in are refused, with all the others; it shows the first 5,000.
inline constexpr std::size_t kMostSarifResults = 5'000;

// A rule a metric, a result a line. What has no place is no result but a notification of the tool's
// execution, because GitHub refuses a file with a result that has none.
[[nodiscard]] std::string sarif_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
