// SPDX-License-Identifier: Apache-2.0
// What `warpgauge bisect` prints of the commit that it found.
#pragma once

#include <string>

#include "ci/gate/bisect.hpp"

namespace warpgauge::ci {

// The commit, and what grew on which line.
[[nodiscard]] std::string culprit_text(const Culprit& culprit);

}  // namespace warpgauge::ci
