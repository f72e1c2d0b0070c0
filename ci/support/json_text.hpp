// SPDX-License-Identifier: Apache-2.0
// JSON as subcommands print it.
#pragma once

#include <string>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// Indented, ending with \n; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const results::Json& json);

}  // namespace warpgauge::ci
