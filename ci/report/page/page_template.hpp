// SPDX-License-Identifier: Apache-2.0
// The page built from ci/report/page/, embedded in this program.
#pragma once

#include <string_view>

namespace warpgauge::ci {

// Empty when this program was built without it.
[[nodiscard]] std::string_view page_template();

}  // namespace warpgauge::ci
