// SPDX-License-Identifier: Apache-2.0
// The verdict as SARIF 2.1.0, within what GitHub's code scanning accepts.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// GitHub rejects a whole file with more results than this; it shows the first 5,000.
inline constexpr std::size_t kMostSarifResults = 5'000;

// Metrics become rules, findings become results. A finding without a place becomes a notification
// of the tool's execution, because GitHub rejects a file that has a result without a place.
[[nodiscard]] std::string sarif_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
