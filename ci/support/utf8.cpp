// SPDX-License-Identifier: Apache-2.0
#include "ci/support/utf8.hpp"

#include <algorithm>
#include <vector>

namespace warpgauge::ci {
namespace {

constexpr char32_t kEllipsis = 0x2026;

// How a sequence begins: bits of the code point in its first byte, and how many bytes follow.
struct Lead {
  char32_t bits;
  std::size_t following;
  char32_t least;  // smaller ones have a shorter form
};

bool read_lead(unsigned char byte, Lead& lead) {
  if (byte < 0x80) {
    lead = {byte, 0, 0};
  } else if ((byte & 0xE0) == 0xC0) {
    lead = {static_cast<char32_t>(byte & 0x1F), 1, 0x80};
  } else if ((byte & 0xF0) == 0xE0) {
    lead = {static_cast<char32_t>(byte & 0x0F), 2, 0x800};
  } else if ((byte & 0xF8) == 0xF0) {
    lead = {static_cast<char32_t>(byte & 0x07), 3, 0x10000};
  } else {
    return false;
  }
  return true;
}

char32_t replacement_for_one(std::size_t& at) {
  ++at;
  return kReplacement;
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& at) {
  Lead lead{};
  if (!read_lead(static_cast<unsigned char>(text[at]), lead)) return replacement_for_one(at);
  if (text.size() - at <= lead.following) return replacement_for_one(at);
  char32_t code_point = lead.bits;
  for (std::size_t i = 1; i <= lead.following; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xC0) != 0x80) return replacement_for_one(at);
    code_point = (code_point << 6) | (byte & 0x3F);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  if (code_point < lead.least || surrogate || code_point > 0x10FFFF) {
    return replacement_for_one(at);
  }
  at += 1 + lead.following;
  return code_point;
}

void append(std::string& text, char32_t code_point) {
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
  };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | (code_point >> 6));
    tail(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | (code_point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (code_point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  for (std::size_t at = 0; at < text.size();) append(valid, next_code_point(text, at));
  return valid;
}

std::string shortened(std::string_view text, std::size_t code_points) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) all.push_back(next_code_point(text, at));
  std::string short_text;
  const bool fits = all.size() <= code_points;
  // The beginning says most: the family and the variant.
  const std::size_t back = fits ? 0 : std::max<std::size_t>(1, code_points / 3);
  const std::size_t front = fits ? all.size() : code_points - 1 - back;
  for (std::size_t i = 0; i < front; ++i) append(short_text, all[i]);
  if (fits) return short_text;
  append(short_text, kEllipsis);
  for (std::size_t i = all.size() - back; i < all.size(); ++i) append(short_text, all[i]);
  return short_text;
}

}  // namespace warpgauge::ci
