// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/toml_text.hpp"

#include <algorithm>
#include <cstddef>

namespace warpgauge::ci {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r\n";

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

Place place_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line = newline == before.npos ? before : before.substr(newline + 1);
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(std::count_if(line.begin(), line.end(), begins_character)) + 1};
}

// Behind the string that begins at `at`, or where a stray character stands in it, for it may stand
// there: where a backslash ends a line of a string of several. The end of the text for a string
// that does not end, at which the parser stops.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string_view rest = text.substr(at);
  const bool long_one = rest.size() >= 3 && rest[1] == quote && rest[2] == quote;
  const std::size_t quotes = long_one ? 3 : 1;
  for (std::size_t i = at + quotes; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
      if (!long_one) continue;
      i = std::min(text.find_first_not_of(kBlanks, i), text.size());
      if (i < text.size() && !is_ascii(text[i])) return i;
      // What is escaped is no end; what comes behind a line that is continued may be one.
      if (kBlanks.find(text[i - 1]) != kBlanks.npos) --i;
    } else if (text[i] == '\n' && !long_one) {
      return text.size();
    } else if (text[i] == quote) {
      if (!long_one) return i + 1;
      std::size_t run = 0;
      while (i + run < text.size() && text[i + run] == quote) ++run;
      // Up to two quotes may stand before the three that end it.
      if (run >= quotes) return i + std::min(run, quotes + 2);
      i += run - 1;
    }
  }
  return text.size();
}

}  // namespace

std::optional<Place> stray_character(std::string_view toml) {
  std::size_t i = toml.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  while (i < toml.size()) {
    const char byte = toml[i];
    if (!is_ascii(byte)) return place_at(toml, i);
    if (byte == '#') {
      i = std::min(toml.find('\n', i), toml.size());
    } else if (byte == '"' || byte == '\'') {
      i = end_of_string(toml, i);
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

std::optional<Place> key_too_deep(std::string_view toml) {
  constexpr std::size_t kMostParts = 8;
  std::size_t parts = 1;
  for (std::size_t i = 0; i < toml.size();) {
    const char byte = toml[i];
    if (byte == '#') {
      i = std::min(toml.find('\n', i), toml.size());
    } else if (byte == '"' || byte == '\'') {
      i = end_of_string(toml, i);
    } else {
      if (byte == '.' && ++parts > kMostParts) return place_at(toml, i);
      if (std::string_view("\n=,[]{}").find(byte) != std::string_view::npos) parts = 1;
      ++i;
    }
  }
  return std::nullopt;
}

std::string with_ascii_only(std::string_view toml) {
  std::string text;
  if (toml.starts_with(kByteOrderMark)) {
    text = kByteOrderMark;
    toml.remove_prefix(kByteOrderMark.size());
  }
  for (const char byte : toml) {
    if (is_ascii(byte)) {
      text += byte;
    } else if (begins_character(byte)) {
      text += '?';
    }
  }
  return text;
}

}  // namespace warpgauge::ci
