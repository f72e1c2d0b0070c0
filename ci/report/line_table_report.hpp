// SPDX-License-Identifier: Apache-2.0
// Traffic by source line, as text and as JSON.
#pragma once

#include <string>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// One table per benchmark and one row per entry of its lines: shared memory in wavefronts, global
// memory in sectors. For a benchmark without lines, the reason.
[[nodiscard]] std::string line_tables(const results::Results& results);

// The same as JSON: each benchmark's lines as in results.json.
[[nodiscard]] results::Json lines_json(const results::Results& results);

}  // namespace warpgauge::ci
