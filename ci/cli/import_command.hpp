// SPDX-License-Identifier: Apache-2.0
// `warpgauge import`, apart from its command line.
#pragma once

#include <filesystem>

#include "ci/import/import.hpp"

namespace warpgauge::ci {

struct ImportCommandOptions {
  ImportOptions options;
  std::filesystem::path out;
  bool advise = true;  // what to do better next time
};
// Returns an exit status or throws as import_files() does.
[[nodiscard]] int import_command(const ImportCommandOptions& options);

}  // namespace warpgauge::ci
