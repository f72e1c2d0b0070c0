// SPDX-License-Identifier: Apache-2.0
// Results of machine code alone: what kernels take of a GPU, where there is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/measure/measurement.hpp"

namespace warpgauge::ci {

struct StaticOptions {
  // Cubins, or programs of nvcc's. `run.machine_code` is not looked at.
  std::vector<std::filesystem::path> images;
  std::string architecture;  // "sm_90"; empty: the newest that is there
  // With a suite, of the emulator: its benchmarks, each with the kernels that it launches. Without:
  // a benchmark for each kernel, "IMAGE/KERNEL".
  RunOptions run;
};

// The device is the architecture, with the key "sm-90". Throws as run(); Error (usage), when no
// image has that architecture or two have one name.
[[nodiscard]] results::RunRecord static_results(const StaticOptions& options);

}  // namespace warpgauge::ci
