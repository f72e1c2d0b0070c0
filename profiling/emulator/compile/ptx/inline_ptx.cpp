// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/ptx/inline_ptx.hpp"

#include <algorithm>

#include "profiling/emulator/compile/ptx/ptx_statement.hpp"
#include "profiling/emulator/compile/ptx/ptx_text.hpp"

namespace warpgauge::emulator {
namespace {

// The parenthesis of an asm statement whose word begins at `at`; npos: none.
std::size_t opening_of(std::string_view source, std::size_t at) {
  for (const std::string_view word : {"asm", "__asm__", "__asm"}) {
    if (source.substr(at, word.size()) != word) continue;
    std::size_t next = at + word.size();
    if (next < source.size() && in_word(source[next])) continue;
    for (;;) {
      next = source.find_first_not_of(" \t\n", next);
      if (next == std::string_view::npos) return next;
      const auto skipped = [&](std::string_view qualifier) {
        if (source.substr(next, qualifier.size()) != qualifier) return false;
        next += qualifier.size();
        return true;
      };
      if (!skipped("__volatile__") && !skipped("volatile")) break;
    }
    return source[next] == '(' ? next : std::string_view::npos;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<std::string> rewrite_inline_ptx(std::string_view source) {
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < source.size();) {
    if (source[at] == '"' || source[at] == '\'') {
      // A digit separator is no literal.
      if (source[at] == '"' && at > 0 && source[at - 1] == 'R') {
        const std::size_t open = source.find('(', at);
        std::string close = ")";
        close += source.substr(at + 1, open - at - 1);
        close += '"';
        at = std::min(source.find(close, at), source.size() - close.size()) + close.size();
        continue;
      }
      const bool separator = source[at] == '\'' && at > 0 && in_word(source[at - 1]);
      at = separator ? at + 1 : skip_literal(source, at);
      continue;
    }
    if (!in_word(source[at])) {
      ++at;
      continue;
    }
    const std::size_t opening = opening_of(source, at);
    if (opening != std::string_view::npos) {
      const std::size_t closing = find_outside(source, opening + 1, ')');
      const std::string_view inside = source.substr(opening + 1, closing - opening - 1);
      PtxStatement statement(inside);
      if (closing < source.size() && statement.is_ptx()) {
        const std::string_view whole = source.substr(at, closing + 1 - at);
        out += source.substr(copied, at - copied);
        out += statement.translated();
        out.append(static_cast<std::size_t>(std::ranges::count(whole, '\n')), '\n');
        copied = closing + 1;
      }
      at = closing + 1;
      continue;
    }
    while (at < source.size() && in_word(source[at])) ++at;
  }
  if (copied == 0) return std::nullopt;
  return out + std::string(source.substr(copied));
}

}  // namespace warpgauge::emulator
