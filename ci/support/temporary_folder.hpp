// SPDX-License-Identifier: Apache-2.0
// A folder that is gone when it is no longer needed: by who made it, or if that was killed, by the
// next that makes one.
#pragma once

#include <filesystem>

namespace warpgauge::ci {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  // Of none yet: once it has returned, the destructor is called whatever fails.
  explicit TemporaryFolder(int descriptor) : descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace warpgauge::ci
