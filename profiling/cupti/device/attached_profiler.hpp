// SPDX-License-Identifier: Apache-2.0
// Whether someone else's profiler is in this process already: two of them crash each other.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace warpgauge::cupti {

// Value of an environment variable, or nullptr: std::getenv, or a test's own.
using Environment = std::function<const char*(const char*)>;

// Name of the tool that was injected into this process ("ncu", "nsys", "compute-sanitizer", or
// "a CUDA injection library"); none when there is none.
[[nodiscard]] std::optional<std::string> attached_profiler(const Environment& environment);

}  // namespace warpgauge::cupti
