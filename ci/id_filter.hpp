// SPDX-License-Identifier: Apache-2.0
// Which benchmarks are meant, by a regular expression on their ids.
#pragma once

#include <regex>
#include <string>

namespace warpgauge::ci {

class IdFilter {
 public:
  // Empty: all benchmarks. Throws Error (usage) for what is no regular expression.
  explicit IdFilter(const std::string& pattern);

  // Whether the pattern occurs anywhere in the id.
  [[nodiscard]] bool matches(const std::string& id) const;

 private:
  std::regex pattern_;
};

}  // namespace warpgauge::ci
