// SPDX-License-Identifier: Apache-2.0
// Keeps others from a folder's files while they are replaced.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

namespace warpgauge::ci {

// Keeps others from changing, or while exclusive from reading, the folders within `folder`. An
// exclusive one makes a folder that is not there, so that of many writers the first makes it and
// all wait for each other; what is still empty in the end is removed again. It throws Error (not
// measured) when it cannot be had, say on a file system that has no locks: without it an approval
// could be lost. A shared one is then done without: who reads while files take their places may
// miss one, and says so. It holds nothing either where there is no folder. Throws Error (not
// measured) when the folder is there and cannot be opened.
//
// A folder can only be opened for reading. That is enough for its lock on Linux, on NFS too, where
// a folder's lock is known to the programs of one machine alone.
class FolderLock {
 public:
  enum class Kind { shared, exclusive };
  FolderLock(std::filesystem::path folder, Kind kind);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Whether the folder is the one that was locked, or still none.
  [[nodiscard]] bool is_current() const;

 private:
  // Of none yet: once it has returned, the destructor is called whatever fails.
  FolderLock(std::filesystem::path folder, Kind kind, int descriptor)
      : folder_(std::move(folder)), kind_(kind), descriptor_(descriptor) {}

  void make_folders();
  void open_folder();

  std::filesystem::path folder_;
  Kind kind_;
  int descriptor_;
  bool is_absent_ = false;
  std::vector<std::filesystem::path> made_;  // the outermost first
};

// What `read` returns while nobody changes the folders within `folder`: once more if that came into
// being meanwhile.
template <class Read>
[[nodiscard]] auto read_locked(const std::filesystem::path& folder, Read&& read) {
  for (;;) {
    const FolderLock lock(folder, FolderLock::Kind::shared);
    try {
      auto result = read();
      if (lock.is_current()) return result;
    } catch (...) {
      if (lock.is_current()) throw;
    }
  }
}

}  // namespace warpgauge::ci
