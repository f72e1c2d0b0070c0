// SPDX-License-Identifier: Apache-2.0
// For which GPU architectures a project builds, where its CMake says so plainly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// "80;90", of the words of set(CMAKE_CUDA_ARCHITECTURES 80 90); empty: they are not plain, as a
// variable's. Nothing: they set something else.
[[nodiscard]] std::optional<std::string> architectures_of_set(
    const std::vector<std::string>& words);

// Of the configure presets; empty: none has them, they differ, or the text is no JSON.
[[nodiscard]] std::string architectures_of_presets(std::string_view json);

}  // namespace warpgauge::ci
