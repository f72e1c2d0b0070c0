// SPDX-License-Identifier: Apache-2.0
// What the writers of JSON share.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "profiling/results/json/json_reader.hpp"

namespace warpgauge::results {

// Writes a field that may be absent; in `json` only where it is there and not, as JSON has no such
// numbers, infinite or NaN.
template <class Value>
void put(Json& json, const char* field, const std::optional<Value>& value) {
  if constexpr (std::is_floating_point_v<Value>) {
    if (value && !std::isfinite(*value)) return;
  }
  if (value) json[field] = *value;
}

}  // namespace warpgauge::results
