// SPDX-License-Identifier: Apache-2.0
// Whether a folder of baselines is whole: what a gate would read of each device, and whether it
// stands there as an approval writes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct BaselineCheck {
  std::size_t devices = 0;
  std::size_t families = 0;
  std::size_t benchmarks = 0;
  std::vector<std::string> faults;  // each with its file, and what to do
};

// Of the devices that `devices` lists, all at one moment: no approval goes on meanwhile. now: UTC,
// as in 2026-11-21T04:19:54Z. Throws what `devices` throws.
[[nodiscard]] BaselineCheck check_baselines(
    const std::filesystem::path& folder, const std::function<std::vector<std::string>()>& devices,
    const std::string& now);

}  // namespace warpgauge::ci
