// SPDX-License-Identifier: Apache-2.0
// Where warpgauge-nvcc finds what it compiles and links with: warpgauge-nvcc.conf, beside it or in
// the CMake package of an installed Warpgauge. $ORIGIN is the folder of that file, so that both can
// be moved.
#pragma once

#include <filesystem>
#include <string>

#include "profiling/emulator/compile/child_process.hpp"

namespace warpgauge::emulator {

struct Installation {
  std::string compiler;
  std::string include;
  Command kernel_options;
  Command libraries;  // with options for the link
};

// Of the program whose file this is. Throws std::runtime_error: there is none, or it lacks
// something.
[[nodiscard]] Installation find_installation(const std::filesystem::path& program);

// One option a line, but for empty lines and those that begin with #.
[[nodiscard]] Command options_of(const std::string& text);

}  // namespace warpgauge::emulator
