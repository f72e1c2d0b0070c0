// SPDX-License-Identifier: Apache-2.0
// What a CMakeLists.txt says plainly. Evaluates nothing: what stands in variables is not known.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

struct CMakeFacts {
  bool cuda = false;  // a language of the project
  bool links_nvbench = false;
  bool links_google_benchmark = false;
  std::string target;  // the first executable that links one of these; empty: none is named
};

[[nodiscard]] CMakeFacts facts_of_cmake(std::string_view text);

}  // namespace warpgauge::ci
