// SPDX-License-Identifier: Apache-2.0
// For which GPU architectures a project builds, where its CMake says so plainly.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// "80;90", of what stands behind the variable in set(CMAKE_CUDA_ARCHITECTURES ...); empty: it is
// not plain, as a variable's.
[[nodiscard]] std::string architectures_of(const std::vector<std::string>& words);

// Of the configure presets; empty: none has them, they differ, or the text is no JSON.
[[nodiscard]] std::string architectures_of_presets(std::string_view json);

}  // namespace warpgauge::ci
