// SPDX-License-Identifier: Apache-2.0
// Whether a folder of baselines stays as it is while something is measured: what is measured runs
// code of the change, and someone else may approve meanwhile.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace warpgauge::ci {

class FolderWatch {
 public:
  // From now on. There may be no such folder.
  explicit FolderWatch(std::filesystem::path folder);

  // Throws Error (not measured) if a baseline came, went or was written since, with its path, and
  // how to compare `results` with what is there now.
  void require_unchanged(const std::filesystem::path& results) const;

 private:
  // By path: which file it is, how long, and when it was written.
  using Files = std::map<std::string, std::string>;
  static Files files_in(const std::filesystem::path& folder);

  std::filesystem::path folder_;
  Files files_;
};

}  // namespace warpgauge::ci
