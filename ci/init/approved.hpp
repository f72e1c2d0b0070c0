// SPDX-License-Identifier: Apache-2.0
// What is approved already where ci/warpgauge.sh looks for it. Reads no baseline.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

struct ApprovedBaselines {
  std::string folder;                // below the root
  std::vector<std::string> devices;  // their folders in it; empty: nothing is approved
};

// What `baselines=` says in the script there. Empty: there is no such script, or it names none.
[[nodiscard]] std::string folder_of_script(const std::filesystem::path& root);

// In the folder that the script names, or the one that a new script would name.
[[nodiscard]] ApprovedBaselines approved_baselines(const Repository& repository);

}  // namespace warpgauge::ci
