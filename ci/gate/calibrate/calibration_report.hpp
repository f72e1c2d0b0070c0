// SPDX-License-Identifier: Apache-2.0
// What a calibration found, for people and for programs. Computes nothing but limits.
#pragma once

#include <string>

#include "ci/gate/calibrate/calibrate.hpp"

namespace warpgauge::ci {

// Markdown. `command` printed it; empty: is not said.
[[nodiscard]] std::string calibration_tables(const Calibration& calibration,
                                             const std::string& command);

[[nodiscard]] std::string calibration_json(const Calibration& calibration);

}  // namespace warpgauge::ci
