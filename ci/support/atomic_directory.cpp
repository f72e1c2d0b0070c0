// SPDX-License-Identifier: Apache-2.0
#include "ci/support/atomic_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FileError;

[[noreturn]] void fail(const fs::path& folder, const std::error_code& error) {
  throw FileError(fmt::format("cannot change {}: {}; choose a folder that can be written",
                              folder.string(), error.message()));
}

fs::path parent_of(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

std::string name_beside(const fs::path& folder) {
  return fmt::format(".{}.replacing-", folder.filename().string());
}

// Without this a rename may be lost when the machine loses power.
void settle(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// An empty folder beside another, whatever is in it gone in the end.
class FolderBeside {
 public:
  explicit FolderBeside(const fs::path& folder) {
    std::string name = parent_of(folder) / (name_beside(folder) + "XXXXXX");
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~FolderBeside() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  FolderBeside(const FolderBeside&) = delete;
  FolderBeside& operator=(const FolderBeside&) = delete;

  // Empty: none could be made.
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void clear_leftovers(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(parent_of(folder), ignored)) {
    if (entry.path().filename().string().starts_with(name_beside(folder))) {
      leftovers.push_back(entry.path());
    }
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, ignored);
}

fs::perms usual_permissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<fs::perms>(0777 & ~mask);
}

bool is_changed(const FolderChange& change, const std::string& name) {
  return std::find(change.remove.begin(), change.remove.end(), name) != change.remove.end() ||
         std::any_of(change.write.begin(), change.write.end(),
                     [&](const auto& file) { return file.first == name; });
}

// The unchanged files stay the same files where they can.
void take_over(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(from))) fs::create_hard_link(from, to, error);
  if (error || !fs::exists(fs::symlink_status(to))) {
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
}

void fill(const fs::path& made, const fs::path& folder, const FolderChange& change) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!is_changed(change, name)) take_over(entry.path(), made / name);
  }
  for (const auto& [name, content] : change.write) {
    results::write_file_atomically(made / name, content);
    std::error_code absent;
    const fs::file_status old = fs::status(folder / name, absent);
    if (fs::exists(old)) fs::permissions(made / name, old.permissions());
  }
  fs::permissions(made, fs::status(folder).permissions());
}

void change_files(const fs::path& folder, const FolderChange& change) {
  for (const auto& [name, content] : change.write) {
    results::write_file_atomically(folder / name, content);
  }
  for (const std::string& name : change.remove) fs::remove(folder / name);
  if (fs::is_empty(folder)) fs::remove(folder);
}

void make_folder(const fs::path& folder, const FolderChange& change) {
  fs::create_directories(parent_of(folder));
  const FolderBeside beside(folder);
  if (beside.path().empty()) fail(folder, {errno, std::generic_category()});
  for (const auto& [name, content] : change.write) {
    results::write_file_atomically(beside.path() / name, content);
  }
  fs::permissions(beside.path(), usual_permissions());
  fs::rename(beside.path(), folder);
  settle(parent_of(folder));
}

void replace_folder(const fs::path& folder, const FolderChange& change, const Exchange& exchange) {
  clear_leftovers(folder);
  const FolderBeside beside(folder);
  if (beside.path().empty()) return change_files(folder, change);
  fill(beside.path(), folder, change);
  if (fs::is_empty(beside.path())) {
    fs::rename(folder, beside.path());
  } else if (!exchange(beside.path(), folder)) {
    return change_files(folder, change);
  }
  settle(parent_of(folder));
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Kind kind)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) return;
  const int operation = kind == Kind::shared ? LOCK_SH : LOCK_EX;
  while (::flock(descriptor_, operation) != 0 && errno == EINTR) {
  }
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool exchange_folders(const fs::path& a, const fs::path& b) {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

void change_folder(const fs::path& named, const FolderChange& change, const Exchange& exchange) {
  if (change.empty()) return;
  std::error_code absent;
  const fs::path canonical = fs::canonical(named, absent);  // so that a link to it stays one
  const fs::path& folder = absent ? named : canonical;
  try {
    if (absent) {
      make_folder(folder, change);
    } else {
      replace_folder(folder, change, exchange);
    }
  } catch (const fs::filesystem_error& error) {
    fail(folder, error.code());
  }
}

}  // namespace warpgauge::ci
