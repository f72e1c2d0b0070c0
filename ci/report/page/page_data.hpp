// SPDX-License-Identifier: Apache-2.0
// What the HTML page holds: the verdict, with what a reader can see of it, the roofs of the device,
// and of a history what a line in the overview shows. The page's verdict.ts reads it.
//
// The page is sent around and opened on phones, so that it holds less than verdict.json: figures of
// six digits, so many samples of a process as a plot can show, and no list that says nothing new.
#pragma once

#include <string>

#include "ci/report/links.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Dots of a benchmark's plot, of all processes together.
inline constexpr std::size_t kMostPageSamples = 400;
// Of a history, the newest.
inline constexpr std::size_t kMostPageRuns = 60;

// JSON, with the benchmarks that moved furthest first of each verdict. Throws Error (not measured)
// where the verdict is too large to be written.
[[nodiscard]] std::string page_data(const GateVerdict& verdict, const ReportLinks& links);

}  // namespace warpgauge::ci
