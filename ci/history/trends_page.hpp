// SPDX-License-Identifier: Apache-2.0
// Trends as the HTML page and other programs read them, and as one image for a README. Compute
// nothing of their own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ci/history/history.hpp"
#include "ci/history/trend.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// `history` of ci/cli/output.schema.json, a device of it: its runs, and of each benchmark the
// metrics with points and changes, by index of the run. Of what is exact, only the points between
// which it changed. `folder`: verdicts that are files are named from there.
[[nodiscard]] results::Json device_json(const std::string& device_key,
                                        const std::vector<HistoryRun>& runs,
                                        const std::vector<Trend>& trends,
                                        const std::filesystem::path& folder);

// The same for the page of ci/report/page/, as text. `folder` is the one that the page will be in.
[[nodiscard]] std::string trends_json(const std::string& device_key,
                                      const std::vector<HistoryRun>& runs,
                                      const std::vector<Trend>& trends,
                                      const std::filesystem::path& folder);

// An SVG image in the manner of badges: "performance | 2 of 107 benchmarks worse". A benchmark is
// worse whose newest change, of any of its metrics, is for the worse.
[[nodiscard]] std::string badge_svg(const std::vector<Trend>& trends);

}  // namespace warpgauge::ci
