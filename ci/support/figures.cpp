// SPDX-License-Identifier: Apache-2.0
#include "ci/support/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ci/support/text.hpp"
#include "profiling/results/ceilings.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kUsualDigits = 4;
constexpr int kMostDigits = 15;
constexpr double kReadInFull = 100'000;  // whole figures below it

std::string_view unit_for(std::string_view metric) {
  if (metric.ends_with("bytes_per_second")) return "B/s";
  if (metric.ends_with("_per_second")) return "/s";
  return metric.ends_with("_bytes") ? "B" : "";
}

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) < 1e18; }

// "0.00012", "1.5": no zeros at the end.
std::string with_digits(double size, int digits) {
  if (size == 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", size, std::max(digits - before_point, 0));
  if (text.find('.') == text.npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// With more digits than usual, where four do not tell two times apart.
std::string long_time(double nanoseconds, int digits) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};
  constexpr double kLongest = 1e24;  // fixed digits of more would fill lines
  if (!(nanoseconds > 0) || nanoseconds > kLongest) {
    return fmt::format("{:.{}g} ns", nanoseconds, digits);
  }
  for (const auto& [unit, name] : kUnits) {
    if (nanoseconds >= unit || unit == 1) {
      return fmt::format("{} {}", with_digits(nanoseconds / unit, digits), name);
    }
  }
  return {};
}

// Of figures that differ by less, the last digits are what there is to see.
bool differ_clearly(double before, double after) {
  constexpr double kClearly = 0.01;
  return std::abs(after - before) >= kClearly * std::max(std::abs(before), std::abs(after));
}

std::string figure(std::string_view metric, double value, int digits, bool shortened) {
  if (results::is_time(metric)) {
    return digits == kUsualDigits ? readable_time(value) : long_time(value, digits);
  }
  const std::string_view unit = unit_for(metric);
  if (is_whole(value) && (!shortened || std::abs(value) < kReadInFull) && unit != "B/s" &&
      unit != "/s") {
    return readable_count(value);
  }
  return readable_scaled(value, digits, unit);
}

}  // namespace

std::string readable_scaled(double value, int digits, std::string_view unit) {
  constexpr std::array<std::pair<double, const char*>, 6> kPrefixes{
      {{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  constexpr double kUnscaled = 10'000;  // below it all digits are shown
  constexpr double kLargest = 1e22;
  constexpr double kSmallest = 1e-9;
  const double size = std::abs(value);
  const char* const sign = value < 0 ? "-" : "";
  if (!std::isfinite(value) || size >= kLargest || (size > 0 && size < kSmallest)) {
    return fmt::format("{:.{}g}{}{}", value, digits, unit.empty() ? "" : " ", unit);
  }
  for (const auto& [factor, prefix] : kPrefixes) {
    if (size >= kUnscaled && size >= 0.99995 * factor) {
      return fmt::format("{}{:.{}f} {}{}", sign, size / factor, digits - 3, prefix, unit);
    }
  }
  return fmt::format("{}{}{}{}", sign, with_digits(size, digits),
                     unit.empty() || unit == "/s" ? "" : " ", unit);
}

ReadablePair readable_pair(std::string_view metric, std::optional<double> before,
                           std::optional<double> after) {
  if (!before || !after) {
    return {readable_figure(metric, before), readable_figure(metric, after)};
  }
  const bool shortened = differ_clearly(*before, *after);
  for (int digits = kUsualDigits;; ++digits) {
    ReadablePair pair{figure(metric, *before, digits, shortened),
                      figure(metric, *after, digits, shortened)};
    if (*before == *after || pair.before != pair.after || digits == kMostDigits) return pair;
  }
}

std::string readable_arrow(std::string_view metric, std::optional<double> before,
                           std::optional<double> after) {
  const ReadablePair pair = readable_pair(metric, before, after);
  return fmt::format("{} → {}", pair.before, pair.after);
}

std::string readable_p(double p) {
  constexpr double kLeast = 1e-4;
  return p < kLeast ? "below 0.0001" : fmt::format("{:.1g}", p);
}

}  // namespace warpgauge::ci
