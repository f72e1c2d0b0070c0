// SPDX-License-Identifier: Apache-2.0
// The files of a baseline: how they are laid out, one line a figure, and how they are read.
#pragma once

#include <filesystem>
#include <string>

#include "ci/baselines/baseline.hpp"

namespace warpgauge::ci {

inline constexpr const char* kDeviceFile = "device.json";

// kDeviceFile, and a family's file.
[[nodiscard]] std::string device_text(const Baseline& baseline);
[[nodiscard]] std::string to_text(const Family& family);

// Device and sessions; the families are those of other files. Both throw FileError, and FormatError
// that names the file and the path in it.
[[nodiscard]] Baseline read_device(const std::filesystem::path& file);

// Of a baseline of these sessions. What belongs to a family of another name is refused.
[[nodiscard]] Family read_family(const std::filesystem::path& file, const Baseline& baseline);

}  // namespace warpgauge::ci
