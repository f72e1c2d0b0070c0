// SPDX-License-Identifier: Apache-2.0
// What the tests of the house share: where it stands, and what they find wrong in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge {

inline const std::filesystem::path kRoot = SOURCE_ROOT;

struct Complaints {
  std::vector<std::string> texts;
  int seen = 0;  // sources or includes
};

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace warpgauge
