// SPDX-License-Identifier: Apache-2.0
// The source revision from which this suite was built.
#pragma once

#include "profiling/results/record.hpp"

namespace warpgauge {

// The revision that git reported at the last build. Empty when git knew none, or when the suite was
// built without warpgauge_add_benchmark(), which links it in.
[[nodiscard]] results::Source built_source();

}  // namespace warpgauge
