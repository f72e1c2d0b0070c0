// SPDX-License-Identifier: Apache-2.0
#include "ci/support/files/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

// How often a folder may be removed by others between its making and its locking.
constexpr int kMostTries = 1'000;

std::string in_words(int error) { return std::generic_category().message(error); }

}  // namespace

FolderLock::FolderLock(std::filesystem::path folder, Kind kind)
    : FolderLock(std::move(folder), kind, -1) {
  for (int i = 0; i < kMostTries; ++i) {
    if (kind_ == Kind::exclusive) make_folders();
    open_folder();
    // Who had it before may have removed it, and another may have made one since.
    const bool holds_what_it_can = !is_absent_ || kind_ == Kind::shared;
    if (holds_what_it_can && is_current()) return;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  if (kind_ == Kind::shared) return;
  throw Error(kExitNotMeasured,
              fmt::format("cannot lock {}: it is gone each time that it is made; look whether it "
                          "leads anywhere, or try again once nobody removes it",
                          folder_.string()));
}

FolderLock::~FolderLock() {
  while (!made_.empty() && ::rmdir(made_.back().c_str()) == 0) made_.pop_back();
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FolderLock::is_current() const {
  struct stat now {};
  const bool is_there = ::stat(folder_.c_str(), &now) == 0;
  if (descriptor_ < 0) return !is_absent_ || !is_there;
  struct stat locked {};
  return is_there && ::fstat(descriptor_, &locked) == 0 && now.st_dev == locked.st_dev &&
         now.st_ino == locked.st_ino;
}

void FolderLock::make_folders() {
  made_.clear();
  std::filesystem::path folder;
  for (const auto& part : folder_) {
    folder /= part;
    if (part.empty()) continue;
    made_.push_back(folder);
    if (::mkdir(folder.c_str(), 0777) == 0) continue;
    const int error = errno;
    made_.pop_back();
    // Others may have made it, or removed the one that it is in.
    if (error == EEXIST || error == ENOENT) continue;
    std::error_code unseen;
    if (std::filesystem::exists(folder, unseen)) continue;
    throw Error(kExitNotMeasured, fmt::format("cannot make the folder {}: {}; choose one that can "
                                              "be written",
                                              folder.string(), in_words(error)));
  }
}

void FolderLock::open_folder() {
  descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  is_absent_ = descriptor_ < 0 && errno == ENOENT;
  if (is_absent_) return;
  const bool is_no_folder = descriptor_ < 0 && errno == ENOTDIR;
  if (is_no_folder && kind_ == Kind::shared) return;  // which is for whoever reads it to say
  if (descriptor_ < 0) {
    throw Error(kExitNotMeasured,
                fmt::format("cannot lock {}: {}; choose a folder that can be read",
                            folder_.string(), in_words(errno)));
  }
  const int operation = kind_ == Kind::shared ? LOCK_SH : LOCK_EX;
  int error = 0;
  do {
    error = ::flock(descriptor_, operation) == 0 ? 0 : errno;
  } while (error == EINTR);
  if (error == 0 || kind_ == Kind::shared) return;
  throw Error(kExitNotMeasured,
              fmt::format("cannot lock {}: {}; what another approves meanwhile could be lost, so "
                          "nothing is changed: approve in a copy, on a file system with locks",
                          folder_.string(), in_words(error)));
}

}  // namespace warpgauge::ci
