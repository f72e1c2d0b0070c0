// SPDX-License-Identifier: Apache-2.0
// JSON as subcommands print it.
#pragma once

#include <string>
#include <string_view>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// The same JSON, with what one_line() replaces as \uXXXX: within its strings alone there may be
// such.
[[nodiscard]] std::string visible_json(std::string_view text);

// Indented, ending with \n, as visible_json() has it; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const results::Json& json);

}  // namespace warpgauge::ci
