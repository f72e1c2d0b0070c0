// SPDX-License-Identifier: Apache-2.0
// A file of which parts are read, so that its size does not matter.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace warpgauge::machine_code {

class InputFile {
 public:
  // Throws results::FileError, also for what is no regular file.
  explicit InputFile(const std::filesystem::path& path);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Throws OutOfBytes when the file ends before that, and results::FileError.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace warpgauge::machine_code
