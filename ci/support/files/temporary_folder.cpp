// SPDX-License-Identifier: Apache-2.0
#include "ci/support/files/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/files/leftovers.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPrefix = "warpgauge-tmp-";

[[noreturn]] void cannot_make_one_in(const std::filesystem::path& folder, int error) {
  throw Error(kExitNotMeasured,
              fmt::format("cannot make a folder in {}: {}; set TMPDIR to one that can be written",
                          folder.string(), std::generic_category().message(error)));
}

}  // namespace

std::filesystem::path folder_of_temporary_files() {
  const char* const named = ::getenv("TMPDIR");
  std::filesystem::path folder = named != nullptr && *named != '\0' ? named : "/tmp";
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) cannot_make_one_in(folder, errno);
  if (!S_ISDIR(status.st_mode)) cannot_make_one_in(folder, ENOTDIR);
  return folder;
}

std::string note_of_full_disk(const std::filesystem::path& folder) {
  constexpr std::uintmax_t kFew = 64 << 10;
  std::error_code unknown;
  const std::uintmax_t left = std::filesystem::space(folder, unknown).available;
  if (unknown || left >= kFew) return "";
  return fmt::format("the disk of {} is full: make room there, or set TMPDIR to another",
                     folder.parent_path().string());
}

TemporaryFolder::TemporaryFolder() : TemporaryFolder(-1) {
  const std::filesystem::path folder = folder_of_temporary_files();
  results::sweep(folder, kPrefix);
  for (;;) {
    std::string name = folder / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) cannot_make_one_in(folder, errno);
    try {
      path_ = name;
    } catch (...) {
      ::rmdir(name.c_str());
      throw;
    }
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0 && errno != ENOENT) cannot_make_one_in(folder, errno);
    if (descriptor_ >= 0 && results::keep_from_sweep(descriptor_, path_)) return;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
}

TemporaryFolder::~TemporaryFolder() {
  // Once more where the system lacked a descriptor or memory for a moment. What then stays is for
  // the next sweep.
  for (int i = 0; i < 2; ++i) {
    try {
      std::error_code error;
      std::filesystem::remove_all(path_, error);
      if (!error) break;
    } catch (const std::exception&) {
    }
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace warpgauge::ci
