// SPDX-License-Identifier: Apache-2.0
#include "ci/support/terminal_lines.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include "ci/support/text.hpp"

namespace warpgauge::ci {

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::size_t columns_of_standard_output() {
  constexpr std::size_t kLeast = 40;  // fewer leave no room beside the indent
  const std::size_t columns = terminal_columns(STDOUT_FILENO);
  return columns >= kLeast ? columns : 0;
}

std::string wrapped(std::string_view line, std::size_t indent, std::size_t columns) {
  constexpr std::size_t kHanging = 2;
  std::string text;
  std::size_t width = indent;
  while (columns > 0 && width + display_width(line) > columns) {
    // The last blank that still fits, else the first one.
    std::size_t blank = line.npos;
    for (std::size_t at = line.find(' ', 1); at != line.npos; at = line.find(' ', at + 1)) {
      if (blank != line.npos && width + display_width(line.substr(0, at)) > columns) break;
      if (!line.substr(at + 1).starts_with('%')) blank = at;  // which belongs to its figure
    }
    const std::size_t rest = line.find_first_not_of(' ', blank);
    if (blank == line.npos || rest == line.npos) break;
    text += line.substr(0, line.find_last_not_of(' ', blank) + 1);
    line.remove_prefix(rest);
    width = indent + kHanging;
    text += '\n';
    text.append(width, ' ');
  }
  return text.append(line);
}

}  // namespace warpgauge::ci
