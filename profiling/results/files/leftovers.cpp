// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/leftovers.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
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

bool is_made_from(std::string_view name, std::string_view prefix) {
  constexpr std::size_t kRandom = 6;  // letters and digits
  if (name.size() != prefix.size() + kRandom || !name.starts_with(prefix)) return false;
  return std::ranges::all_of(name.substr(prefix.size()),
                             [](unsigned char character) { return std::isalnum(character) != 0; });
}

void sweep(const fs::path& folder, std::string_view prefix) {
  for (const std::string& name : names_in(folder)) {
    if (is_made_from(name, prefix)) sweep_one(folder / name);
  }
}

}  // namespace warpgauge::results
