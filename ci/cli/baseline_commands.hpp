// SPDX-License-Identifier: Apache-2.0
// What `warpgauge baseline` does, apart from its command line; see ci/cli/commands.hpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "ci/baselines/approve.hpp"

namespace warpgauge::ci {

struct BaselineOptions {
  std::filesystem::path baselines = "baselines";
  std::string device;   // its folder; empty: all
  std::string pattern;  // of show: an id, or a regular expression on ids
  std::size_t keep = kFewestSessions;
  bool json = false;
};
[[nodiscard]] int list_command(const BaselineOptions& options);
[[nodiscard]] int show_command(const BaselineOptions& options);
[[nodiscard]] int prune_command(const BaselineOptions& options);

}  // namespace warpgauge::ci
