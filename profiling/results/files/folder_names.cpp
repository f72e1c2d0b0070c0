// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/folder_names.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <cerrno>
#include <new>
#include <system_error>

#include "profiling/results/files/files.hpp"

namespace warpgauge::results {
namespace {

class Folder {
 public:
  explicit Folder(const std::filesystem::path& path) : folder_(::opendir(path.c_str())) {
    if (folder_ == nullptr) error_ = errno;
    if (error_ == ENOMEM) throw std::bad_alloc();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (folder_ != nullptr) ::closedir(folder_);
  }

  // 0: it can be read.
  [[nodiscard]] int error() const { return error_; }

  // Empty: there is no further one.
  [[nodiscard]] const char* next() const {
    const dirent* const entry = folder_ != nullptr ? ::readdir(folder_) : nullptr;
    return entry != nullptr ? entry->d_name : "";
  }

 private:
  DIR* folder_;
  int error_ = 0;
};

std::vector<std::string> names_of(const Folder& open) {
  std::vector<std::string> names;
  for (std::string name = open.next(); !name.empty(); name = open.next()) {
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  return names_of(Folder(folder));
}

std::vector<std::string> all_names_in(const std::filesystem::path& folder) {
  const Folder open(folder);
  if (open.error() == 0) return names_of(open);
  throw FileError(fmt::format("cannot read {}: {}; check the path", folder.string(),
                              std::generic_category().message(open.error())));
}

}  // namespace warpgauge::results
