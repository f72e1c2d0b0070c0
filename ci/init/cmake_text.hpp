// SPDX-License-Identifier: Apache-2.0
// What a CMakeLists.txt says plainly. Evaluates nothing: what stands in variables is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// A folder that is taken in, and the words of the conditions around that, but those that are
// denied. "OR" stands between alternatives.
struct Subfolder {
  std::string path;  // as it is written, less the current folder's variable
  std::vector<std::string> conditions;
};

struct CMakeFacts {
  bool project = false;              // it begins one of its own
  bool cuda = false;                 // a language of the project
  bool names_architectures = false;  // of GPUs, however it does
  std::string architectures;         // see architectures_of_set(); empty: not known
  bool for_python = false;           // it builds a module that Python loads
  bool links_nvbench = false;
  bool links_google_benchmark = false;
  std::string target;  // the first executable that links one of these; empty: none is named
  std::vector<std::string> more_targets;  // the other ones
  std::vector<std::string> conditions;    // around that target
  std::vector<std::string> options;       // what whoever builds may turn on
  std::vector<Subfolder> subfolders;
};

[[nodiscard]] CMakeFacts facts_of_cmake(std::string_view text);

}  // namespace warpgauge::ci
