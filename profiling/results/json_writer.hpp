// SPDX-License-Identifier: Apache-2.0
// What the writers of JSON share.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "profiling/results/json_reader.hpp"

namespace warpgauge::results {

// Writes a field that may be absent; in `json` only where it is there.
template <class Value>
void put(Json& json, const char* field, const std::optional<Value>& value) {
  if (value) json[field] = *value;
}

}  // namespace warpgauge::results
