// SPDX-License-Identifier: Apache-2.0
// Detects another profiler in this process: two of them crash each other.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace warpgauge::cupti {

// Returns an environment variable's value, or nullptr: std::getenv, or a test's function.
using Environment = std::function<const char*(const char*)>;

// Name of the tool that was injected into this process ("ncu", "nsys", "compute-sanitizer", or
// "a CUDA injection library"); absent without one.
[[nodiscard]] std::optional<std::string> attached_profiler(const Environment& environment);

}  // namespace warpgauge::cupti
