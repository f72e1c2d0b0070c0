// SPDX-License-Identifier: Apache-2.0
#include "ci/report/machine_code/side_by_side.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::SassChange;
using machine_code::SassRow;

// In columns of a terminal.
constexpr std::size_t kWidestInstruction = 48;
constexpr std::size_t kWidestPlace = 28;

std::string in_one_line(std::string_view text, std::size_t widest) {
  std::string line = one_line(text);
  if (line.size() > widest) line = line.substr(0, widest - 3) + "...";
  return line;
}

// The file's name and the line: what is in front of them is the same for most.
std::string short_place(const std::string& place) {
  const std::size_t slash = place.rfind('/');
  return in_one_line(slash == place.npos ? place : place.substr(slash + 1), kWidestPlace);
}

char sign_of(SassChange change) {
  switch (change) {
    case SassChange::same:
      return ' ';
    case SassChange::operands:
      return '|';
    case SassChange::removed:
      return '<';
    case SassChange::added:
      return '>';
  }
  return ' ';
}

}  // namespace

std::string side_by_side_text(const machine_code::SideBySide& sass) {
  std::string text;
  std::string known;
  for (const SassRow& row : sass.rows) {
    if (row.skipped > 0) {
      text += fmt::format("    ({} the same)\n", counted(row.skipped, "instruction"));
    }
    const std::string place = short_place(row.place);
    std::string line =
        fmt::format("    {:<{}}  {:<{}} {} {}", place == known ? "" : place, kWidestPlace,
                    in_one_line(row.before, kWidestInstruction), kWidestInstruction,
                    sign_of(row.change), in_one_line(row.after, kWidestInstruction));
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
    known = place;
  }
  if (sass.more > 0) {
    text += fmt::format("    ({} more that may have changed)\n", counted(sass.more, "instruction"));
  }
  return text;
}

}  // namespace warpgauge::ci
