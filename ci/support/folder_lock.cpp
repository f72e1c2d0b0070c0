// SPDX-License-Identifier: Apache-2.0
#include "ci/support/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace warpgauge::ci {

FolderLock::FolderLock(const std::filesystem::path& folder, Kind kind)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  const int operation = kind == Kind::shared ? LOCK_SH : LOCK_EX;
  while (::flock(descriptor_, operation) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace warpgauge::ci
