// SPDX-License-Identifier: Apache-2.0
// What else would record a program's kernels, of which there can be one in a process.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warpgauge::ci {

// Which tool the command starts, also by env, python -m, a shell's -c or a launcher such as
// torchrun, or is around this process, and takes the place of ours: "nsys". Empty: none.
// environment: std::getenv, or a test's.
[[nodiscard]] std::string other_profiler(
    const std::vector<std::string>& command,
    const std::function<const char*(const char*)>& environment);

}  // namespace warpgauge::ci
