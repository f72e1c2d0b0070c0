// SPDX-License-Identifier: Apache-2.0
// Keeps others from a folder's files while they are replaced.
#pragma once

#include <filesystem>

namespace warpgauge::ci {

// Keeps others from changing, or while exclusive from reading, the folders within `folder`. Holds
// nothing when the folder is not there, or on a file system that has no locks.
class FolderLock {
 public:
  enum class Kind { shared, exclusive };
  FolderLock(const std::filesystem::path& folder, Kind kind);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace warpgauge::ci
