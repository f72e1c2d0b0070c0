// SPDX-License-Identifier: Apache-2.0
// What git says of a checkout, and does in it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct GitAnswer {
  std::optional<std::string> output;  // absent: it failed, or there is no git
  std::string complaint;              // the last line of what it said when it failed
  int status = 0;                     // its exit status; −1: it did not end by itself
};

// Runs git in the current folder, or in the checkout `folder`, whatever the environment says of
// another one, as it does in a hook.
[[nodiscard]] GitAnswer git(const std::vector<std::string>& arguments);
[[nodiscard]] GitAnswer git_in(const std::filesystem::path& folder,
                               const std::vector<std::string>& arguments);

// Who works here: "name <address>" as git has it, else the user's name, else "unknown". Throws
// where git cannot be asked.
[[nodiscard]] std::string current_author();

}  // namespace warpgauge::ci
