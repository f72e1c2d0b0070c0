// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "profiling/results/files/folder_names.hpp"

namespace warpgauge::results {
namespace {

namespace fs = std::filesystem;

bool is_still_there(int descriptor, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

// Others may put what they like into a folder that all write to.
bool is_ours(int descriptor) {
  struct stat opened {};
  return ::fstat(descriptor, &opened) == 0 && opened.st_uid == ::geteuid() &&
         (S_ISREG(opened.st_mode) || S_ISDIR(opened.st_mode));
}

void sweep_one(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  const bool nobodys = is_ours(descriptor) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
                       is_still_there(descriptor, path);
  std::error_code stays;
  if (nobodys) fs::remove_all(path, stays);
  ::close(descriptor);
}

}  // namespace

bool keep_from_sweep(int descriptor, const fs::path& path) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return is_still_there(descriptor, path);
}

void sweep(const fs::path& folder, std::string_view prefix) {
  for (const std::string& name : names_in(folder)) {
    if (name.starts_with(prefix)) sweep_one(folder / name);
  }
}

}  // namespace warpgauge::results
