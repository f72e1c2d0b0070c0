// SPDX-License-Identifier: Apache-2.0
// The history as people read it, on a terminal and as tables for other programs.
#pragma once

#include <string>
#include <vector>

#include "ci/history/history.hpp"
#include "ci/history/trend.hpp"

namespace warpgauge::ci {

// "4f1c0de2b9+": ten digits, and a mark when the source differed from it; "–" where none is known.
[[nodiscard]] std::string commit_text(const HistoryRun& run);

// A line a run, oldest first.
[[nodiscard]] std::string runs_text(const std::vector<HistoryRun>& runs);

// A line a point, oldest first, with the changes.
[[nodiscard]] std::string trend_text(const std::vector<HistoryRun>& runs, const Trend& trend);

// The changes of all trends by the run that they begin at, the newest first. `runs` are the
// trends'.
[[nodiscard]] std::string changes_text(const std::string& device_key,
                                       const std::vector<HistoryRun>& runs,
                                       const std::vector<Trend>& trends);

// A line a figure, a header above them; RFC 4180.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string csv_lines(const HistoryRun& run, const std::string& benchmark,
                                    const std::string& metric, const std::vector<double>& figures);

}  // namespace warpgauge::ci
