// SPDX-License-Identifier: Apache-2.0
// Of which source this suite was built.
#pragma once

#include "profiling/results/record.hpp"

namespace warpgauge {

// As git said when the suite was last brought up to date. Empty: git knew nothing, or the suite was
// made without warpgauge_add_benchmark(), which brings it along.
[[nodiscard]] results::Source built_source();

}  // namespace warpgauge
