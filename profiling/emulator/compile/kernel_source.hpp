// SPDX-License-Identifier: Apache-2.0
// Compiles a source that may launch kernels by <<<>>>.
//
// The preprocessor's output is rewritten first (launch_rewriter.hpp), which includes launches in
// headers and macros. Lines keep their numbers.
#pragma once

#include "profiling/emulator/compile/child_process.hpp"

namespace warpgauge::emulator {

// `command` is g++'s, with -c and the source behind it, and -o and the object behind it. One
// without them is run unchanged. Returns the exit status. What the emulator has not is told in one
// line (refusals.hpp), without g++'s own words.
[[nodiscard]] int compile_kernel_source(const Command& command);

}  // namespace warpgauge::emulator
