// SPDX-License-Identifier: Apache-2.0
// Results of machine code alone: what kernels take of a GPU, where there is none.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ci/measure/measurement.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct StaticOptions {
  // Cubins, or programs of nvcc's. `run.machine_code` is not looked at.
  std::vector<std::filesystem::path> images;
  // "sm_90"; empty: the newest that is there. Of each kernel that code counts which its GPU would
  // run: for sm_90a also that for sm_90, where there is no other. If one is named, the results have
  // the machine code for it alone; else that for each architecture, and the figures are the
  // newest's.
  std::string architecture;
  // Without a suite: what is known of the kernels' launches, by name.
  std::map<std::string, std::vector<results::KernelLaunch>> launches = {};
  // With a suite, of the emulator: its benchmarks, each with the kernels that it launches. Without:
  // a benchmark for each kernel, "IMAGE/KERNEL"; where several are called so, "IMAGE/KERNEL#2" for
  // the second.
  RunOptions run;
};

// The device is the architecture, with the key "sm-90". Throws as run(); Error (usage), when no
// image has that architecture or two have one name.
[[nodiscard]] results::RunRecord static_results(const StaticOptions& options);

// Sets of these kernels where in the sources their loads and accesses to local memory come from, if
// the images are small enough to be held at once, as those of one's own kernels are.
void add_places(const StaticOptions& options,
                const std::vector<std::vector<results::KernelCode>*>& codes);

}  // namespace warpgauge::ci
