// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/device_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <system_error>
#include <thread>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/interrupt.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::chrono::milliseconds kLockPollInterval{100};

std::filesystem::path lock_file(std::string uuid) {
  std::replace_if(
      uuid.begin(), uuid.end(),
      [](unsigned char character) { return std::isalnum(character) == 0 && character != '-'; },
      '_');
  return folder_of_temporary_files() / ("warpgauge-" + uuid + ".lock");
}

// In a folder that all may write to, the kernel refuses O_CREAT on another user's file; a lock
// needs no more than a file open for reading. A pipe that someone put there would be waited for.
int open_lock(const std::filesystem::path& path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int existing = ::open(path.c_str(), kFlags);
  if (existing >= 0) return existing;
  return ::open(path.c_str(), kFlags | O_CREAT, 0444);
}

bool is_regular(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

DeviceLock::DeviceLock(const std::string& uuid, std::chrono::milliseconds patience,
                       const std::function<void()>& waiting)
    : descriptor_(-1) {
  const auto path = lock_file(uuid);
  descriptor_ = open_lock(path);
  if (descriptor_ < 0) {
    throw Error(
        kExitNotMeasured,
        fmt::format("cannot open the lock {}: {}; set TMPDIR to a folder that can be written",
                    path.string(), std::generic_category().message(errno)));
  }
  if (!is_regular(descriptor_)) {
    ::close(descriptor_);
    throw Error(kExitNotMeasured,
                fmt::format("the lock {} is no regular file: remove it, or set TMPDIR to a folder "
                            "of your own",
                            path.string()));
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (bool told = false; ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0;) {
    try {
      InterruptGuard::check();
      if (std::chrono::steady_clock::now() > deadline) {
        throw Error(
            kExitNotMeasured,
            fmt::format("another run holds the device {}; try again when it is done", uuid));
      }
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
    if (!told) waiting();
    told = true;
    std::this_thread::sleep_for(kLockPollInterval);
  }
}

DeviceLock::~DeviceLock() { ::close(descriptor_); }

}  // namespace warpgauge::ci
