// SPDX-License-Identifier: Apache-2.0
#include "ci/support/utc_time.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <time.h>

#include <ctime>

#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kBegin = "2000-01-01T00:00:00Z";
constexpr const char* kEnd = "2100-01-01T00:00:00Z";
constexpr std::time_t kDay = 86'400;
constexpr std::size_t kLongestQuote = 40;

std::string written(std::time_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

}  // namespace

std::optional<std::int64_t> utc_seconds(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end != text.c_str() + text.size()) return std::nullopt;
  const std::time_t seconds = ::timegm(&parts);
  if (text < kBegin || text >= kEnd || written(seconds) != text) return std::nullopt;
  return seconds;
}

std::string why_no_time(const std::string& text) {
  if (utc_seconds(text)) return "";
  return fmt::format("'{}' is no time in UTC of this century, as in 2026-11-21T04:19:54Z",
                     log_text(one_line(shortened(text, kLongestQuote))));
}

std::string why_no_time_until(const std::string& now, const std::string& text) {
  std::string why = why_no_time(text);
  const auto latest = utc_seconds(now);
  if (!why.empty() || !latest || *utc_seconds(text) <= *latest + kDay) return why;
  return fmt::format(
      "{} is yet to come, by the clock here, which says {}; set the clock of the "
      "machine that measured, or of this one",
      text, now);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace warpgauge::ci
