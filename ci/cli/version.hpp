// SPDX-License-Identifier: Apache-2.0
// Which Warpgauge this is, how it was built, and what it can do here.
#pragma once

#include <string>

namespace warpgauge::ci {

// Lines; the first is "warpgauge 0.1.0".
[[nodiscard]] std::string version_text();

}  // namespace warpgauge::ci
