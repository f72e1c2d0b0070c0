// SPDX-License-Identifier: Apache-2.0
// The formats that a verdict is reported in, by name. A format is one line in report.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// Code points of a message, where a format has its readers show them in a list.
inline constexpr std::size_t kLongestMessage = 1'000;

struct ReportFormat {
  std::string_view name;
  std::string_view purpose;
  std::string (*render)(const GateVerdict&);
};

[[nodiscard]] std::span<const ReportFormat> report_formats();

// Throws Error (usage) for a name that is none of theirs.
[[nodiscard]] const ReportFormat& report_format(std::string_view name);

}  // namespace warpgauge::ci
