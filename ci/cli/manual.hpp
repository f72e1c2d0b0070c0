// SPDX-License-Identifier: Apache-2.0
// The manual page, warpgauge(1).
#pragma once

#include <string>

#include "ci/cli/command_text.hpp"

namespace warpgauge::ci {

// For man(1), in its macros.
[[nodiscard]] std::string manual_page(const CommandText& program, const std::string& version);

}  // namespace warpgauge::ci
