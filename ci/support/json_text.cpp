// SPDX-License-Identifier: Apache-2.0
#include "ci/support/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {

std::string visible_json(std::string_view text) {
  constexpr char32_t kAscii = 0x80;
  constexpr char32_t kBeyond = 0x10000;  // of two units
  std::string visible;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t code_point = next_code_point(text, at);
    const std::string_view bytes = text.substr(from, at - from);
    if (code_point < kAscii || one_line(bytes) == bytes) {
      visible += bytes;
    } else if (code_point < kBeyond) {
      visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(code_point));
    } else {
      const auto rest = static_cast<std::uint32_t>(code_point - kBeyond);
      visible += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
    }
  }
  return visible;
}

std::string json_text(const results::Json& json) {
  std::string text =
      visible_json(json.dump(2, ' ', false, results::Json::error_handler_t::replace)) + "\n";
  // Within its strings alone there is a #. Runners of continuous integration obey ##vso[ and the
  // like wherever it stands; written in this way it is the same string.
  for (std::size_t at = text.find("##"); at != text.npos; at = text.find("##", at)) {
    text.replace(at, 1, "\\u0023");
  }
  return text;
}

}  // namespace warpgauge::ci
