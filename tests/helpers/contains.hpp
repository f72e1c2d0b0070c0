// SPDX-License-Identifier: Apache-2.0
// Whether a text says something.
#pragma once

#include <string>

namespace warpgauge {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

}  // namespace warpgauge
