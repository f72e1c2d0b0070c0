// SPDX-License-Identifier: Apache-2.0
// The report formats, by name. A format is one line in report_formats.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ci/report/links.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Longest message, in code points, in formats whose readers show messages in a list.
inline constexpr std::size_t kLongestMessage = 1'000;

// Findings, test cases or rows of a report, which its readers load whole. Where there are more, the
// gravest are listed, and how many are not.
inline constexpr std::size_t kMostListed = 10'000;
inline constexpr std::size_t kMostNotesListed = 1'000;

struct ReportFormat {
  std::string_view name;
  std::string_view purpose;
  std::string (*make)(const GateVerdict&, const ReportLinks&);

  // links: where the report may point; most formats point nowhere.
  [[nodiscard]] std::string render(const GateVerdict& verdict,
                                   const ReportLinks& links = {}) const {
    return make(verdict, links);
  }
};

[[nodiscard]] std::span<const ReportFormat> report_formats();

// Throws Error (usage) for an unknown name.
[[nodiscard]] const ReportFormat& report_format(std::string_view name);

}  // namespace warpgauge::ci
