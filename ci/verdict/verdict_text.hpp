// SPDX-License-Identifier: Apache-2.0
// A verdict in words, for all reports alike.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Why this metric has its verdict, beyond its figures; empty when they say all.
//   "1 → 32 a request at kernels/transpose.cuh:31: out[i] = tile[threadIdx.x][j];"
//   "interval +3.1 to +4.2 %, p 2e-07, floor 2.0 %"
[[nodiscard]] std::string explain(const MetricVerdict& metric);

// What was compared: "NVIDIA H200: baselines/nvidia-h200 → results/results.json".
[[nodiscard]] std::string headline(const GateVerdict& verdict);

// "pass", "regressed", "no verdict", "not measured": the word for the exit status.
[[nodiscard]] std::string outcome(const GateVerdict& verdict);

// The outcome and what to do next, in one line.
[[nodiscard]] std::string conclusion(const GateVerdict& verdict);

// Whether a report lists the metric: it has a verdict, or is shown only and moved.
[[nodiscard]] bool worth_listing(const MetricVerdict& metric);

}  // namespace warpgauge::ci
