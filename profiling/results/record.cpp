// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/record.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

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

void add_launch(KernelLaunch launch, std::vector<KernelLaunch>& launches) {
  // The count comes last in the order: what is alike stands where this would with a count of 0.
  KernelLaunch alike = launch;
  alike.count = 0;
  const auto place = std::lower_bound(launches.begin(), launches.end(), alike);
  if (place != launches.end()) {
    alike.count = place->count;
    if (*place == alike) {
      place->count += launch.count;
      return;
    }
  }
  launches.insert(place, std::move(launch));
}

}  // namespace warpgauge::results
