// SPDX-License-Identifier: Apache-2.0
// What a calibration found, for people and for programs. Computes nothing but limits.
#pragma once

#include <string>

#include "ci/gate/calibrate/calibrate.hpp"

namespace warpgauge::ci {

// A few lines: what becomes of unchanged code, and the benchmarks by the smallest slowdown that is
// found in them. Against a baseline, where that was tried.
[[nodiscard]] std::string calibration_summary(const Calibration& calibration);

// Markdown. `command` printed it; empty: is not said.
[[nodiscard]] std::string calibration_tables(const Calibration& calibration,
                                             const std::string& command);

[[nodiscard]] std::string calibration_json(const Calibration& calibration);

}  // namespace warpgauge::ci
