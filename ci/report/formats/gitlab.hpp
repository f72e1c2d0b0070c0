// SPDX-License-Identifier: Apache-2.0
// The verdict as a GitLab Code Quality report, which marks lines of a merge request.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// GitLab requires a path, so a finding without a place points to its baseline's file,
// BEFORE/FAMILY.json.
[[nodiscard]] std::string code_quality_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
