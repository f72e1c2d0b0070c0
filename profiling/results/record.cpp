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
  const auto is_alike = [&](KernelLaunch each) {
    each.count = launch.count;
    return each == launch;
  };
  const auto known = std::find_if(launches.begin(), launches.end(), is_alike);
  if (known != launches.end()) {
    known->count += launch.count;
    return;
  }
  const auto place = std::upper_bound(launches.begin(), launches.end(), launch);
  launches.insert(place, std::move(launch));
}

}  // namespace warpgauge::results
