// SPDX-License-Identifier: Apache-2.0
#include "ci/init/filled.hpp"

#include <stdexcept>

#include "ci/init/templates.hpp"

namespace warpgauge::ci {

std::string filled(std::string_view name, const Words& words) {
  std::string text;
  for (const auto& [known, content] : kTemplates) {
    if (known == name) text = content;
  }
  if (text.empty()) throw std::logic_error("no template " + std::string(name));
  for (const auto& [word, value] : words) {
    const std::string mark = "@" + word + "@";
    for (std::size_t at = text.find(mark); at != text.npos;
         at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

}  // namespace warpgauge::ci
