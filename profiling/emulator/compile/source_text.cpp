// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/source_text.hpp"

namespace warpgauge::emulator {

bool is_in_string(std::string_view line) {
  bool open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line.substr(i, 3) == "'\"'") {
      i += 2;
    } else if (line[i] == '"') {
      open = !open;
    }
  }
  return open;
}

std::size_t begin_of_line(std::string_view text, std::size_t at) {
  const std::size_t newline = at == 0 ? std::string_view::npos : text.find_last_of('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

}  // namespace warpgauge::emulator
