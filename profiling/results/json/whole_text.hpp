// SPDX-License-Identifier: Apache-2.0
// Whether a parser of JSON has read all of a text.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::results {

// Of a text that nlohmann's parser has read; empty, unless it ended before the text does.
inline std::string problem_with_end(std::string_view text) {
  if (text.find('\0') == text.npos) return {};
  return "has a zero byte, and what follows it would not be read; was the file cut short?";
}

}  // namespace warpgauge::results
