// SPDX-License-Identifier: Apache-2.0
// Scripts by which shells complete the command line.
#pragma once

#include <string>
#include <vector>

#include "ci/cli/command_text.hpp"

namespace warpgauge::ci {

[[nodiscard]] const std::vector<std::string>& completed_shells();

// shell: one of these.
[[nodiscard]] std::string completion_script(const CommandText& program, const std::string& shell);

}  // namespace warpgauge::ci
