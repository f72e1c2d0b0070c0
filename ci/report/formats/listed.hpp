// SPDX-License-Identifier: Apache-2.0
// Which benchmarks a report has, where a verdict has more than its readers can load.
#pragma once

#include <cstddef>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// At most so many, in the verdict's order; where it has more, those that do not pass before those
// that do.
[[nodiscard]] std::vector<const BenchmarkVerdict*> listed(const GateVerdict& verdict,
                                                          std::size_t most);

}  // namespace warpgauge::ci
