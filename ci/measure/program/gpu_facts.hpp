// SPDX-License-Identifier: Apache-2.0
// What warpgauge_doctor says of the GPUs that a program may use, which cannot be asked itself.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct GpuFacts {
  std::vector<std::string> uuids;  // that are visible
  std::string no_gpu;              // why there is none at all; empty: there is one
  std::string cuda;                // the driver's version of it; empty: not known
  // Of the first that is visible, as the next two.
  std::optional<results::DeviceSettings> settings;
  std::set<std::string> other_processes;  // that compute on it, "python3 (process 461)"
  std::string others_unknown;             // why; empty: they are known
};

// uuid: the only GPU to be visible; empty: all that are to the program. Nothing: it sees none and
// knows not why, or does not answer as one of this version does. Throws Interrupted.
[[nodiscard]] std::optional<GpuFacts> ask_doctor(const std::filesystem::path& doctor,
                                                 const std::string& uuid);

}  // namespace warpgauge::ci
