// SPDX-License-Identifier: Apache-2.0
// What `warpgauge history` does, apart from its command line; see ci/cli/commands.hpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct HistoryOptions {
  // An SQLite file, or a connection string of PostgreSQL's.
  std::string history = "results/history.sqlite";
  std::string device;  // a key, as of baselines/; empty: all, or the only one
  std::optional<std::filesystem::path> policy;
  bool json = false;       // of list, trend and changes
  std::size_t last = 500;  // newest runs of a device that are looked at
};

struct HistoryRecordOptions {
  std::vector<std::filesystem::path> results;
  // UTC, as in 2026-11-21T04:19:54Z; empty: what git says of the results' revision.
  std::string commit_time;
  std::string verdict;  // address or file; empty: none
};
[[nodiscard]] int history_record_command(const HistoryOptions& history,
                                         const HistoryRecordOptions& options);

[[nodiscard]] int history_list_command(const HistoryOptions& history);

struct HistoryTrendOptions {
  std::string benchmark;
  std::string metric = "time";
};
[[nodiscard]] int history_trend_command(const HistoryOptions& history,
                                        const HistoryTrendOptions& options);

struct HistoryChangesOptions {
  std::string filter;  // regular expression on ids; empty: all
  std::string metric;  // empty: all that the policy gates
};
[[nodiscard]] int history_changes_command(const HistoryOptions& history,
                                          const HistoryChangesOptions& options);

struct HistoryReportOptions {
  HistoryChangesOptions changes;
  std::filesystem::path out;
};
// The trends page; see trends_page.hpp.
[[nodiscard]] int history_report_command(const HistoryOptions& history,
                                         const HistoryReportOptions& options);
[[nodiscard]] int history_badge_command(const HistoryOptions& history,
                                        const HistoryReportOptions& options);

struct HistoryExportOptions {
  std::optional<int> run;                    // its results file; absent: all figures as a table
  std::optional<std::filesystem::path> out;  // absent: standard output
};
[[nodiscard]] int history_export_command(const HistoryOptions& history,
                                         const HistoryExportOptions& options);

}  // namespace warpgauge::ci
