// SPDX-License-Identifier: Apache-2.0
#include "ci/support/files/source_tree.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace warpgauge::ci {

namespace fs = std::filesystem;

namespace {

// Empty: the file is not there, or not below the root, whatever links lead to it.
fs::path within(const fs::path& root, const fs::path& file) {
  std::error_code error;
  const auto whole_root = fs::canonical(root, error);
  if (error) return {};
  const auto whole_file = fs::canonical(file, error);
  if (error) return {};
  const auto [root_end, inside] =
      std::mismatch(whole_root.begin(), whole_root.end(), whole_file.begin(), whole_file.end());
  return root_end == whole_root.end() ? whole_file.lexically_relative(whole_root) : fs::path();
}

}  // namespace

bool is_below(const fs::path& root, const fs::path& file) { return !within(root, file).empty(); }

bool may_be_quoted(const fs::path& root, const fs::path& file) {
  const fs::path path = within(root, file);
  return !path.empty() && std::none_of(path.begin(), path.end(), [](const fs::path& part) {
    return part.native().starts_with('.');
  });
}

std::optional<std::string> SourceTree::find(const std::string& compiled) {
  const auto [known, is_new] = known_.try_emplace(compiled);
  if (is_new) known->second = look_for(compiled);
  return known->second;
}

std::optional<std::string> SourceTree::look_for(const std::string& compiled) const {
  std::error_code error;
  const fs::path path = fs::path(compiled).lexically_normal();
  const fs::path inside = path.lexically_relative(fs::weakly_canonical(root_, error));
  if (!error && !inside.empty() && *inside.begin() != ".." && fs::is_regular_file(path, error)) {
    return inside.generic_string();
  }
  for (auto begin = path.begin(); begin != path.end() && std::next(begin) != path.end(); ++begin) {
    if (*begin == "/" || *begin == "..") continue;
    fs::path end;
    std::for_each(begin, path.end(), [&](const fs::path& part) { end /= part; });
    if (fs::is_regular_file(root_ / end, error)) return end.generic_string();
  }
  return std::nullopt;
}

}  // namespace warpgauge::ci
