// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/folder_watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "ci/baselines/baseline_files.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {

namespace fs = std::filesystem;

FolderWatch::FolderWatch(fs::path folder) : folder_(std::move(folder)), files_(files_in(folder_)) {}

FolderWatch::Files FolderWatch::files_in(const fs::path& folder) {
  Files files;
  const auto add = [&](const fs::path& within) {
    std::error_code none;
    for (const auto& file : fs::directory_iterator(within, none)) {
      struct stat status {};
      if (file.path().extension() != ".json" || ::stat(file.path().c_str(), &status) != 0) continue;
      files[file.path().string()] =
          fmt::format("{} {} {} {}.{:09}", status.st_dev, status.st_ino, status.st_size,
                      status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    }
  };
  std::error_code none;
  for (const auto& device : fs::directory_iterator(folder, none)) {
    add(device.path());
    add(device.path() / kWaitingFiles);
  }
  return files;
}

void FolderWatch::require_unchanged(const fs::path& results) const {
  const Files now = files_in(folder_);
  if (now == files_) return;
  // The first that is not the same on both sides, each of which is in order.
  Files differ;
  std::set_symmetric_difference(files_.begin(), files_.end(), now.begin(), now.end(),
                                std::inserter(differ, differ.end()));
  const std::string& changed = differ.begin()->first;
  throw Error(
      kExitNotMeasured,
      fmt::format("{} was changed while this was measured, so there is no verdict; if the change "
                  "was intended, run warpgauge compare {} {}",
                  one_line(changed), shell_word(folder_.string()), shell_word(results.string())));
}

}  // namespace warpgauge::ci
