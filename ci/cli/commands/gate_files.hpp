// SPDX-License-Identifier: Apache-2.0
// The folder of a gate, where new results take the place of an earlier gate's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/cli/comparison_options.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

// The reports that an earlier gate wrote into this folder, by its own list. Throws FileError.
[[nodiscard]] std::vector<std::filesystem::path> reports_in(const std::filesystem::path& folder);

// Puts new results in the place of those of an earlier gate.
class Replacement {
 public:
  // earlier: what that may have left, there or not. reports: what this gate was asked for.
  Replacement(std::filesystem::path folder, std::vector<std::filesystem::path> earlier,
              const std::vector<ReportRequest>& reports);

  // Until the new files are whole, all that is there stays, whatever ends this. Then nothing of
  // earlier ones is left beside them, at no moment. Throws Error (not measured), and FileError.
  void replace(results::NewFiles& files);

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> earlier_;
  std::vector<std::filesystem::path> new_;
  std::string names_;  // of the files in the folder, one a line
};

}  // namespace warpgauge::ci
