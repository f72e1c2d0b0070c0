// SPDX-License-Identifier: Apache-2.0
#include "ci/init/filled.hpp"

#include <regex>
#include <stdexcept>

#include "ci/init/templates.hpp"

namespace warpgauge::ci {

std::string filled(std::string_view name, const Words& words) {
  std::string text;
  for (const auto& [known, content] : kTemplates) {
    if (known == name) text = content;
  }
  if (text.empty()) throw std::logic_error("no template " + std::string(name));
  static const std::regex kMark("@([A-Z_]+)@");
  std::string all;
  std::string::const_iterator rest = text.begin();
  for (std::sregex_iterator mark(text.begin(), text.end(), kMark); mark != std::sregex_iterator();
       ++mark) {
    const auto word = words.find((*mark)[1].str());
    if (word == words.end()) {
      throw std::logic_error("nothing fills in " + mark->str() + " of " + std::string(name));
    }
    all.append(rest, (*mark)[0].first).append(word->second);
    rest = (*mark)[0].second;
  }
  return all.append(rest, text.cend());
}

}  // namespace warpgauge::ci
