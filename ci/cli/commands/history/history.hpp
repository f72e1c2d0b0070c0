// SPDX-License-Identifier: Apache-2.0
// `warpgauge history`: what its subcommands share. Each is in the file of its name, but for those
// on trends, which are in history_trends.cpp.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ci/cli/context.hpp"
#include "ci/history/history.hpp"

namespace warpgauge::ci {

// Where a history lay before, in a folder that is emptied now and then.
inline constexpr const char* kEarlierHistory = "results/history.sqlite";

// Of the current folder: "history.sqlite", or the earlier one where only that is there.
[[nodiscard]] std::string usual_history();

struct HistoryOptions {
  // An SQLite file, or a connection string of PostgreSQL's.
  std::string history = usual_history();
  std::string device;  // a key, as of baselines/; empty: all, or the only one
  std::optional<std::filesystem::path> policy;
  bool json = false;       // of list, trend and changes
  std::size_t last = 500;  // newest runs of a device that are looked at
};

void add_history_option(CLI::App& command, HistoryOptions& options);
void add_history_device(CLI::App& command, HistoryOptions& options);
void add_history_last(CLI::App& command, HistoryOptions& options);

// All, or the one that --device names. Throws Error (usage) where there are no runs on it.
[[nodiscard]] std::vector<std::string> wanted_devices(History& history,
                                                      const HistoryOptions& options);

// Trends of the gated metrics on a device, as JSON for the page (ci/history/trends_page.hpp).
// Throws Error (usage) where there are no runs on it.
[[nodiscard]] std::string trends_on(const HistoryOptions& options);

void add_history_record(CLI::App& history, Context& context);
void add_history_list(CLI::App& history, Context& context);
void add_history_trend(CLI::App& history, Context& context);
void add_history_changes(CLI::App& history, Context& context);
void add_history_report(CLI::App& history, Context& context);
void add_history_badge(CLI::App& history, Context& context);
void add_history_export(CLI::App& history, Context& context);
void add_history_prune(CLI::App& history, Context& context);

}  // namespace warpgauge::ci
