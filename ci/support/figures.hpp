// SPDX-License-Identifier: Apache-2.0
// Two figures of one metric side by side, as all reports write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::ci {

struct ReadablePair {
  std::string before;  // "–" when absent, as is after
  std::string after;
};

// Figures that differ never read the same: "524.3 k" and "16.8 M", but "524,288" and "524,290";
// "1.00002" and "1.00004". Times, bytes and rates have their units: "40.54 µs", "67.1 MB",
// "11.4 GB/s". No figure has an exponent as long as a unit prefix can say it.
[[nodiscard]] ReadablePair readable_pair(std::string_view metric, std::optional<double> before,
                                         std::optional<double> after);

// "40.54 µs → 78.03 µs".
[[nodiscard]] std::string readable_arrow(std::string_view metric, std::optional<double> before,
                                         std::optional<double> after);

// "80.1 k", "1.5", "0.00012": what is not whole, or too large to be read in full. More than four
// digits only tell it from another figure.
[[nodiscard]] std::string readable_scaled(double value, int digits = 4, std::string_view unit = "");

// "0.003"; the smallest, whose digits say nothing to a reader, are "below 0.0001".
[[nodiscard]] std::string readable_p(double p);

}  // namespace warpgauge::ci
