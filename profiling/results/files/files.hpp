// SPDX-License-Identifier: Apache-2.0
// Whole files, read and written in one step.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::results {

// A file could not be read or written; the message names it, the reason and the remedy.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Throws FileError when `path` could not be written, before work is done whose result would then be
// lost. The folder is made when it is absent.
void require_writable(const std::filesystem::path& path);

// Replaces `path` in one step: a reader, or a crash at any moment, finds the old or the new file
// whole. The folder is made when it is absent. Keeps the mode of an existing file, and a link that
// leads to it. What is no file (/dev/stdout, /dev/null, a pipe) is written to, not replaced.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

// Several files of one state. Each is whole beside its place before the first takes its place, so
// what cannot be written, for want of room say, leaves all as it was. Each holds a descriptor.
class NewFiles {
 public:
  NewFiles();
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;
  ~NewFiles();  // those that did not take their places vanish

  // As write_file_atomically, but for the place.
  void add(const std::filesystem::path& path, std::string_view content);

  // More content of the last that was added, of what memory might not hold at once.
  void append(std::string_view content);

  // In the order in which they were added.
  void replace();

  // Of those that wait, as they were named.
  [[nodiscard]] std::vector<std::filesystem::path> paths() const;

 private:
  struct NewFile;
  std::vector<std::unique_ptr<NewFile>> files_;
};

// Whether one of these that was killed left this behind.
[[nodiscard]] bool is_unfinished(const std::filesystem::path& path);

void remove_file(const std::filesystem::path& path);

}  // namespace warpgauge::results
