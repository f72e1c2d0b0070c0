// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <set>
#include <system_error>
#include <utility>

#include "ci/baselines/baseline_json.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/files/folder_names.hpp"
#include "profiling/results/files/leftovers.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".approval.unfinished-";

[[noreturn]] void fail(const char* doing, const fs::path& path, int error) {
  throw results::FileError(fmt::format("cannot {} {}: {}; choose a folder that can be written",
                                       doing, path.string(),
                                       std::generic_category().message(error)));
}

bool is_json(const std::string& name) {
  return fs::path(name).extension() == ".json" && !name.starts_with('.');
}

std::set<std::string> json_names(const fs::path& folder) {
  std::set<std::string> names;
  for (std::string& name : results::all_names_in(folder)) {
    if (is_json(name)) names.insert(std::move(name));
  }
  return names;
}

// Those of the families that a device.json names.
std::set<std::string> named_files(const fs::path& device_file) {
  std::set<std::string> files;
  const auto named = read_device(device_file).named;
  if (!named) return files;
  for (const std::string& name : *named) files.insert(name + ".json");
  return files;
}

// What cannot be looked at is not taken for absent.
fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(path, error).type();
  if (type != fs::file_type::none) return type;
  throw Error(kExitNotMeasured,
              fmt::format("cannot read {}: {}; check the path", path.string(), error.message()));
}

// Without this what was renamed may be lost when the machine loses power.
void bring_to_disk(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)::fsync(descriptor);
  ::close(descriptor);
}

// As write_file_atomically(): the mode of the file that it replaces stays, and a link to it.
void move_file(const fs::path& from, const fs::path& to) {
  std::error_code unseen;
  if (fs::is_symlink(to, unseen)) {
    results::write_file_atomically(to, results::read_file(from, results::kBaselineLimit));
    results::remove_file(from);
    return;
  }
  struct stat replaced {};
  if (::stat(to.c_str(), &replaced) == 0) (void)::chmod(from.c_str(), replaced.st_mode & 07777);
  if (::rename(from.c_str(), to.c_str()) != 0) fail("replace", to, errno);
}

void move_all(const fs::path& waiting, const fs::path& of_device) {
  const std::set<std::string> named = named_files(waiting / kDeviceFile);
  for (const std::string& name : json_names(waiting)) {
    if (named.contains(name)) move_file(waiting / name, of_device / name);
  }
  for (const std::string& name : results::all_names_in(of_device)) {
    const bool is_stale =
        is_json(name) ? name != kDeviceFile && !named.contains(name) : results::is_unfinished(name);
    if (is_stale && !fs::is_directory(of_device / name)) results::remove_file(of_device / name);
  }
  bring_to_disk(of_device);
  // The last, since it says which are read.
  if (named.empty()) {
    results::remove_file(of_device / kDeviceFile);
    results::remove_file(waiting / kDeviceFile);
  } else {
    move_file(waiting / kDeviceFile, of_device / kDeviceFile);
  }
}

}  // namespace

fs::path waiting_files(const fs::path& of_device) {
  fs::path waiting = of_device / kWaitingFiles;
  const fs::file_type folder = type_of(waiting);
  if (folder == fs::file_type::not_found) return {};
  if (folder != fs::file_type::directory) {
    throw Error(kExitNotMeasured, fmt::format("{} is not a folder, in which an approval puts its "
                                              "files; take it out",
                                              waiting.string()));
  }
  return type_of(waiting / kDeviceFile) != fs::file_type::not_found ? waiting : fs::path();
}

std::map<std::string, fs::path> baseline_files(const fs::path& of_device) {
  std::map<std::string, fs::path> files;
  const fs::path waiting = waiting_files(of_device);
  for (const std::string& name : json_names(of_device)) files[name] = of_device / name;
  if (waiting.empty()) return files;
  std::set<std::string> named = named_files(waiting / kDeviceFile);
  if (named.empty()) return {};
  std::erase_if(files, [&](const auto& file) { return !named.contains(file.first); });
  named.insert(kDeviceFile);
  for (const std::string& name : json_names(waiting)) {
    if (named.contains(name)) files[name] = waiting / name;
  }
  return files;
}

void put_into_place(const fs::path& of_device) {
  try {
    if (const fs::path waiting = waiting_files(of_device); !waiting.empty()) {
      move_all(waiting, of_device);
    }
  } catch (const std::runtime_error& error) {
    throw results::FileError(
        fmt::format("{}: the approval holds, and is read from {}; the next approval puts all of it "
                    "into place",
                    error.what(), (of_device / kWaitingFiles).string()));
  }
  // It is empty, unless something is in it that no device.json names.
  const fs::path left = of_device / kWaitingFiles;
  std::error_code stays;
  if (::rmdir(left.c_str()) != 0) fs::remove_all(left, stays);
  bring_to_disk(of_device);
  if (!fs::exists(of_device / kDeviceFile, stays)) (void)::rmdir(of_device.c_str());
}

NewApproval::NewApproval(fs::path of_device) : NewApproval(std::move(of_device), -1) {
  std::error_code error;
  fs::create_directories(of_device_, error);
  if (error) fail("make the folder", of_device_, error.value());
  results::sweep(of_device_, kUnfinished);
  struct stat whole {};
  if (::stat(of_device_.c_str(), &whole) != 0) fail("read", of_device_, errno);
  for (;;) {
    std::string name = of_device_ / (std::string(kUnfinished) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) fail("make a folder in", of_device_, errno);
    try {
      folder_ = name;
    } catch (...) {
      ::rmdir(name.c_str());
      throw;
    }
    // Who may read the baseline may read these, and who may put them into place may.
    if (::chmod(name.c_str(), whole.st_mode & 07777) != 0) fail("write", folder_, errno);
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0 && errno != ENOENT) fail("open", folder_, errno);
    if (descriptor_ >= 0 && results::keep_from_sweep(descriptor_, folder_)) return;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
}

NewApproval::~NewApproval() {
  // Once more where the system lacked a descriptor or memory for a moment. What then stays is for
  // the next sweep.
  for (int i = 0; i < 2 && !folder_.empty(); ++i) {
    try {
      std::error_code error;
      fs::remove_all(folder_, error);
      if (!error) break;
    } catch (const std::exception&) {
    }
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  // Which it may have made.
  if (!folder_.empty()) (void)::rmdir(of_device_.c_str());
}

void NewApproval::add(const std::string& name, std::string_view text) const {
  results::write_file_atomically(folder_ / name, text);
}

void NewApproval::commit() {
  const fs::path waiting = of_device_ / kWaitingFiles;
  (void)::fsync(descriptor_);
  if (::rename(folder_.c_str(), waiting.c_str()) != 0) fail("make", waiting, errno);
  folder_.clear();
  bring_to_disk(of_device_);
}

}  // namespace warpgauge::ci
