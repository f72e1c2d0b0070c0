// SPDX-License-Identifier: Apache-2.0
// Machine code side by side in verdict.json.
#pragma once

#include "profiling/machine_code/text/sass_alignment.hpp"
#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// Adds "sass" and "more_sass"; nothing where there is nothing.
void add_sass(const machine_code::SideBySide& sass, results::Json& kernel);

// Of an object that may have them. Throws results::FormatError.
[[nodiscard]] machine_code::SideBySide sass_from(const results::JsonReader& kernel);

}  // namespace warpgauge::ci
