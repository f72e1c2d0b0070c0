// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/folder_names.hpp"

#include <dirent.h>

#include <cerrno>
#include <new>

namespace warpgauge::results {
namespace {

class Folder {
 public:
  explicit Folder(const std::filesystem::path& path) : folder_(::opendir(path.c_str())) {
    if (folder_ == nullptr && errno == ENOMEM) throw std::bad_alloc();
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (folder_ != nullptr) ::closedir(folder_);
  }

  // Empty: there is no further one.
  [[nodiscard]] const char* next() const {
    const dirent* const entry = folder_ != nullptr ? ::readdir(folder_) : nullptr;
    return entry != nullptr ? entry->d_name : "";
  }

 private:
  DIR* folder_;
};

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  const Folder open(folder);
  for (std::string name = open.next(); !name.empty(); name = open.next()) {
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

}  // namespace warpgauge::results
