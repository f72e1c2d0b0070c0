// SPDX-License-Identifier: Apache-2.0
// Text from elsewhere as code points, whatever bytes it is made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpgauge::ci {

inline constexpr char32_t kReplacement = 0xFFFD;

// The code point that begins at `at`, which moves behind it. A byte that begins none is one
// kReplacement: overlong forms, surrogates and what lies beyond U+10FFFF are no code points.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& at);

void append(std::string& text, char32_t code_point);

// With a replacement character for each byte that is no UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// At most this many code points, the middle replaced by … where there are more. At least 3.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t code_points);

}  // namespace warpgauge::ci
