// SPDX-License-Identifier: Apache-2.0
// The files of a project, found by the paths under which a compiler knew them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace warpgauge::ci {

// Whether a file that is there lies below the root, whatever links lead to it.
[[nodiscard]] bool is_below(const std::filesystem::path& root, const std::filesystem::path& file);

// Whether it also lies in no hidden folder, nor is hidden: in ".git" or a home's ".ssh" are no
// sources, and whoever writes results can name any file.
[[nodiscard]] bool may_be_quoted(const std::filesystem::path& root,
                                 const std::filesystem::path& file);

class SourceTree {
 public:
  explicit SourceTree(std::filesystem::path root) : root_(std::move(root)) {}

  // The file's path relative to the root; absent where it is none of its files. It may have been
  // compiled in another folder, or on another machine: then the longest end of its path that is
  // there counts, of at least a folder and a name.
  [[nodiscard]] std::optional<std::string> find(const std::string& compiled);

 private:
  [[nodiscard]] std::optional<std::string> look_for(const std::string& compiled) const;

  std::filesystem::path root_;
  std::map<std::string, std::optional<std::string>> known_;
};

}  // namespace warpgauge::ci
