// SPDX-License-Identifier: Apache-2.0
// The folder of a gate, in which new results replace those of an earlier gate.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/cli/comparison_options.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

// The reports that an earlier gate wrote into this folder, by its own list. Throws FileError.
[[nodiscard]] std::vector<std::filesystem::path> reports_in(const std::filesystem::path& folder);

// Replaces the results of an earlier gate by new ones.
class Replacement {
 public:
  // earlier: files that the earlier gate may have left. reports: those that this gate writes.
  Replacement(std::filesystem::path folder, std::vector<std::filesystem::path> earlier,
              const std::vector<ReportRequest>& reports);

  // Earlier files stay until the new ones are complete, whatever ends this. After that nothing of
  // the earlier ones is left. Throws Error (not measured) and FileError.
  void replace(results::NewFiles& files);

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> earlier_;
  std::vector<std::filesystem::path> new_;
  std::string names_;  // of the files in the folder, one a line
};

}  // namespace warpgauge::ci
