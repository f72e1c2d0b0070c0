// SPDX-License-Identifier: Apache-2.0
// Chips and their metrics, as warpgauge_metrics (profiling/cupti) knows them, for people.
#pragma once

#include <string>

#include "profiling/results/record_json.hpp"

namespace warpgauge::ci {

// The answer of warpgauge_metrics as a table. Throws results::Json::exception for another answer.
[[nodiscard]] std::string metrics_table(const results::Json& answer);

}  // namespace warpgauge::ci
