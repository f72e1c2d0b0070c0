// SPDX-License-Identifier: Apache-2.0
// The verdict as Markdown, for a job's summary or a pull request's comment.
#pragma once

#include <string>

#include "ci/verdict.hpp"

namespace warpgauge::ci {

[[nodiscard]] std::string markdown_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
