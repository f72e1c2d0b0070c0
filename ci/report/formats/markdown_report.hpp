// SPDX-License-Identifier: Apache-2.0
// The verdict as Markdown, for a job's summary or a pull request's comment.
#pragma once

#include <cstddef>
#include <string>

#include "ci/report/links.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// In bytes. GitHub accepts comments of 65,536 characters, and a character takes at least one byte.
inline constexpr std::size_t kLongestMarkdown = 65'000;

// A headline, the gravest changes as a table and the rest of them folded, then by benchmark its
// source if known, and the differences between the two environments. What does not fit is counted;
// the least severe parts are dropped first.
[[nodiscard]] std::string markdown_report(const GateVerdict& verdict,
                                          const ReportLinks& links = {});

}  // namespace warpgauge::ci
