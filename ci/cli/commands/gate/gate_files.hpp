// SPDX-License-Identifier: Apache-2.0
// The folder of a gate, in which nothing may be taken for results of a gate that has none yet.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "ci/cli/comparison_options.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {

// Results of this side, if it was measured in turns with what was approved.
inline constexpr const char* kInTurns = "in_turns.json";
// The floors that the first gate on a device needs.
inline constexpr const char* kFloors = "floors.toml";

class GateFolder {
 public:
  // reports: those that this gate writes.
  GateFolder(std::filesystem::path folder, const std::vector<ReportRequest>& reports);

  // Moves what an earlier gate left in the folder to earlier/ in it, in place of what an earlier
  // one left there, and removes the reports elsewhere that this gate will write. What is a link or
  // no file stays. Throws Error (not measured) and FileError.
  void set_earlier_aside();

  // The new results take their places; nothing is left of earlier ones. Throws as above.
  void replace(results::NewFiles& files);

  // Where an earlier gate's results are while there are no new ones; empty: there are none.
  [[nodiscard]] std::filesystem::path earlier_results() const;

 private:
  [[nodiscard]] bool has_earlier() const;

  std::filesystem::path folder_;
  std::set<std::filesystem::path> reports_;  // those in the folder
  std::set<std::filesystem::path> elsewhere_;
  std::string names_;  // of the files in the folder, one a line
};

}  // namespace warpgauge::ci
