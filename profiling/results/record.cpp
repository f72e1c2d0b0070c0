// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/record.hpp"

#include <cctype>

namespace warpgauge::results {

std::string range_name(const std::string& id) {
  std::string name = id;
  for (char& character : name) {
    if (std::isalnum(static_cast<unsigned char>(character)) == 0 && character != '_' &&
        character != '-') {
      character = '.';
    }
  }
  return name;
}

std::string device_key(const std::string& device_name) {
  std::string key;
  for (const char raw : device_name) {
    const auto character = static_cast<unsigned char>(raw);
    if (std::isalnum(character) != 0) {
      key += static_cast<char>(std::tolower(character));
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  if (!key.empty() && key.back() == '-') key.pop_back();
  return key;
}

}  // namespace warpgauge::results
