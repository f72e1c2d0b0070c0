// SPDX-License-Identifier: Apache-2.0
// Runs compilers and linkers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge::emulator {

using Command = std::vector<std::string>;

// Runs it to its end and returns its exit status, 128 and the signal's number if a signal ended it.
// Throws std::runtime_error where it cannot be started.
[[nodiscard]] int run(Command command);

// The same, with its standard output, or its standard error, written to a file.
enum class Stream { output = 1, error = 2 };
[[nodiscard]] int run_into(Command command, Stream stream, const std::filesystem::path& file);

// Throws std::runtime_error where the file cannot be read or written.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& text);

class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpgauge::emulator
