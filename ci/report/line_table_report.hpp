// SPDX-License-Identifier: Apache-2.0
// Traffic by source line, for people and for programs.
#pragma once

#include <string>

#include "profiling/results/record_json.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A table a benchmark, a row an entry of its lines; shared memory in wavefronts, global memory in
// sectors. What has no lines says why.
[[nodiscard]] std::string line_tables(const results::Results& results);

// The same for programs: the lines of each benchmark as results.json has them.
[[nodiscard]] results::Json lines_json(const results::Results& results);

}  // namespace warpgauge::ci
