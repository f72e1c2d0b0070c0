// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/kernel_name.hpp"

#include <cstddef>

namespace warpgauge::ci {

std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (name[at] != '(' || depth > 0) continue;
    if (!name.substr(at).starts_with(kAnonymous)) return name.substr(0, at);
    at += kAnonymous.size() - 1;
  }
  return name;
}

}  // namespace warpgauge::ci
