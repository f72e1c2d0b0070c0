// SPDX-License-Identifier: Apache-2.0
// A folder of files that changes as a whole.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

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

struct FolderChange {
  std::vector<std::pair<std::string, std::string>> write;  // name and content
  std::vector<std::string> remove;                         // names

  [[nodiscard]] bool empty() const { return write.empty() && remove.empty(); }
};

// Lets two folders change places in one step; false when the file system cannot.
using Exchange = std::function<bool(const std::filesystem::path&, const std::filesystem::path&)>;
[[nodiscard]] bool exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);

// Killed at any moment, this leaves the old or the new folder whole: the new one is made beside the
// old and takes its place. Where folders cannot be exchanged, the files are replaced one by one in
// the order given. The folder is made when it is absent, and is gone when no file is left in it.
// What an earlier call that was killed left behind is cleared away. Throws results::FileError.
void change_folder(const std::filesystem::path& folder, const FolderChange& change,
                   const Exchange& exchange = exchange_folders);

}  // namespace warpgauge::ci
