// SPDX-License-Identifier: Apache-2.0
// The verdict as Markdown, for a job's summary or a pull request's comment.
#pragma once

#include <cstddef>
#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Less than the 65,536 characters that GitHub takes as a comment, in bytes, which are as many or
// more.
inline constexpr std::size_t kLongestMarkdown = 65'000;

// What changed as a table, then by benchmark with the source where it is known, and what differs
// between the two environments. What does not fit is counted, the least grave first.
[[nodiscard]] std::string markdown_report(const GateVerdict& verdict);

}  // namespace warpgauge::ci
