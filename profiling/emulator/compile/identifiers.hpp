// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cctype>

namespace warpgauge::emulator {

inline bool is_of_identifier(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

}  // namespace warpgauge::emulator
