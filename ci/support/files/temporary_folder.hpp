// SPDX-License-Identifier: Apache-2.0
// A folder that is gone when it is no longer needed: by who made it, or if that was killed, by the
// next that makes one.
#pragma once

#include <filesystem>
#include <string>

namespace warpgauge::ci {

// TMPDIR, or /tmp where that is not set or empty. Throws Error (not measured) for what is no
// folder.
[[nodiscard]] std::filesystem::path folder_of_temporary_files();

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

// That hardly anything is left of the disk on which this temporary folder lies, and what to do: for
// a child whose files there say less than they should. Empty: there is room.
[[nodiscard]] std::string note_of_full_disk(const std::filesystem::path& folder);

}  // namespace warpgauge::ci
