// SPDX-License-Identifier: Apache-2.0
// What the emulator lacks, told in one line instead of the host compiler's many.
#pragma once

#include <string>

namespace warpgauge::emulator {

// Of g++'s errors, the first that comes from something which the emulator has not:
// "file.cu:3: the emulator has no CUB (cub/cub.cuh); ...". The line is the program's, not that of a
// header between. It comes from a header that is missing, a name that is unknown, or from a line
// `#error Warpgauge: ...` in one of the emulator's own headers. Empty: none does.
[[nodiscard]] std::string refusal_in(const std::string& errors);

}  // namespace warpgauge::emulator
