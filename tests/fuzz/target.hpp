// SPDX-License-Identifier: Apache-2.0
// What a fuzz target defines; main.cpp calls it. A target is one file.
#pragma once

#include <string>

namespace warpgauge {

// Reads the text as a file from elsewhere is read, and uses what came of it. May throw what the
// readers promise: FormatError, FileError, Error. Anything else is a finding.
void read_hostile(const std::string& text);

// A finding that no sanitizer sees.
[[noreturn]] void found(const std::string& what);

}  // namespace warpgauge
