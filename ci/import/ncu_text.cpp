// SPDX-License-Identifier: Apache-2.0
#include "ci/import/ncu_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <map>

namespace warpgauge::ci {

Scaled without_prefix(const std::string& unit) {
  static const std::map<std::string, double> kTimes{
      {"s", 1e9},  {"second", 1e9},  {"sec", 1e9}, {"ms", 1e6},   {"msecond", 1e6},
      {"us", 1e3}, {"usecond", 1e3}, {"ns", 1},    {"nsecond", 1}};
  static const std::map<char, double> kPrefixes{
      {'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}, {'P', 1e15}};
  if (unit.empty()) return {};
  if (const auto time = kTimes.find(unit); time != kTimes.end()) return {time->second, "ns"};
  if (const std::size_t slash = unit.find('/'); slash != unit.npos) {
    const Scaled above = without_prefix(unit.substr(0, slash));
    const std::string below = unit.substr(slash + 1);
    const auto time = kTimes.find(below);
    if (time == kTimes.end()) return {above.factor, above.unit + "/" + below};
    return {above.factor / (time->second / 1e9), above.unit + "/s"};
  }
  const bool prefixed = unit.size() > 1 && std::islower(static_cast<unsigned char>(unit[1])) != 0;
  if (const auto prefix = kPrefixes.find(unit.front()); prefixed && prefix != kPrefixes.end()) {
    return {prefix->second, unit.substr(1)};
  }
  return {1, unit};
}

std::string extents(const std::string& text) {
  std::string extents;
  for (const char each : text) {
    if (each == ',') extents += 'x';
    if (std::isdigit(static_cast<unsigned char>(each)) != 0) extents += each;
  }
  return extents;
}

std::string function_name(std::string_view kernel) {
  // Parentheses and angle brackets that belong to a name, not to parameters.
  constexpr std::array<std::string_view, 2> kUnnamed{"(anonymous namespace)::", "<unnamed>::"};
  std::string plain;
  while (!kernel.empty()) {
    const auto unnamed = std::find_if(kUnnamed.begin(), kUnnamed.end(), [&](std::string_view each) {
      return kernel.starts_with(each);
    });
    if (unnamed == kUnnamed.end()) {
      if (kernel.front() == '<' || kernel.front() == '(') break;
      plain += kernel.front();
    }
    kernel.remove_prefix(unnamed == kUnnamed.end() ? 1 : unnamed->size());
  }
  while (plain.ends_with(' ')) plain.pop_back();
  const std::size_t before = plain.find_last_of(" :");
  return before == plain.npos ? plain : plain.substr(before + 1);
}

std::string without_separators(const std::string& text) {
  std::size_t end = std::min(text.find_first_of(".eE"), text.size());
  std::string behind;  // the last first
  std::size_t begin = end;
  while (begin >= 5 && text[begin - 4] == ',') {
    for (std::size_t i = begin; i > begin - 3; --i) behind += text[i - 1];
    begin -= 4;
  }
  return text.substr(0, begin) + std::string(behind.rbegin(), behind.rend()) + text.substr(end);
}

}  // namespace warpgauge::ci
