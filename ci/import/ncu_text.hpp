// SPDX-License-Identifier: Apache-2.0
// Units, names and numbers as ncu writes them.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// A metric's value without its unit's prefix: "Mbyte" is 1e6 byte.
struct Scaled {
  double factor = 1;
  std::string unit;
};

[[nodiscard]] Scaled without_prefix(const std::string& unit);

// "(8, 6, 1)" → "8x6x1"
[[nodiscard]] std::string extents(const std::string& text);

// "void ns::scan<int>(int*)" → "scan"
[[nodiscard]] std::string function_name(std::string_view kernel);

// Thousands of a number in English: "1,234,567.5" → "1234567.5".
[[nodiscard]] std::string without_separators(const std::string& text);

}  // namespace warpgauge::ci
