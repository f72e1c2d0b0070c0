// SPDX-License-Identifier: Apache-2.0
// A verdict in words, for all reports alike.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Why this metric has its verdict, beyond its figures; empty when they say all.
//   "1 → 32 a request at kernels/transpose.cuh:31: out[i] = tile[threadIdx.x][j];"
//   "interval +3.1 to +4.2 %, p 0.002, floor 2.0 %"
[[nodiscard]] std::string explain(const MetricVerdict& metric);

// "shared_load_requests 4 → 8 (×2.0)".
[[nodiscard]] std::string change_text(const MetricVerdict& metric);

// "0.36 %", "0.7 %", "16.0 %": two digits that tell floors of different kinds apart.
[[nodiscard]] std::string floor_percent(double share);

// Whether the interval of a time that has moved lies beyond its floor, as its verdict says. Where
// alpha is greater than beta, one may reach over a floor that p is sure of.
[[nodiscard]] bool interval_agrees(const MetricVerdict& metric);

// Whether a report lists the metric: it has a verdict, or is shown only and moved.
[[nodiscard]] bool worth_listing(const MetricVerdict& metric);

// The counter that grew most, of those whose lines are known; null: there is none.
[[nodiscard]] const MetricVerdict* explaining_counter(const BenchmarkVerdict& benchmark);

// Why, without the figures of the clock, nor the counters that are only beyond their usual range.
[[nodiscard]] std::string cause_text(const MetricVerdict& metric);

// A benchmark in a report. The first row is of the metric that decides and says the cause once;
// another figure of a clock has a row of its own; what else moved is one line.
struct ReportBlock {
  struct Row {
    const MetricVerdict* metric = nullptr;
    std::string why;
  };
  std::vector<Row> rows;  // empty: nothing is worth listing
  std::string also;       // empty: nothing else
};
[[nodiscard]] ReportBlock report_block(const BenchmarkVerdict& benchmark);

// Each side by the name of what holds it, but by its revision, "1b2c3d4e5f60 with changes", where
// that is known of files that were measured in turns: the next turns write to the same.
struct SideNames {
  std::string before;
  std::string after;
};
[[nodiscard]] SideNames names_of_sides(const GateVerdict& verdict);

// What was compared: "NVIDIA H200: baselines/nvidia-h200 → results/results.json".
[[nodiscard]] std::string headline(const GateVerdict& verdict);

// "pass", "regressed", "no verdict", "not measured": the word for the exit status.
[[nodiscard]] std::string outcome(const GateVerdict& verdict);

// The outcome and what to do next, in one line.
[[nodiscard]] std::string conclusion(const GateVerdict& verdict);

// How many benchmarks' times are shown to be better than before, and by how much: "2 benchmarks are
// faster than the baseline, by 5.1 % at most". Empty: none is.
[[nodiscard]] std::string gain_text(const GateVerdict& verdict, const std::string& than);

}  // namespace warpgauge::ci
