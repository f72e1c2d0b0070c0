// SPDX-License-Identifier: Apache-2.0
// When something was, as it stands in files: what tells the newest from the oldest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace warpgauge::ci {

// Since 1970, of a time in UTC of this century, as in 2026-11-21T04:19:54Z. Nothing for what would
// be written in another way, such as the 31st of February.
[[nodiscard]] std::optional<std::int64_t> utc_seconds(const std::string& text);

// Empty for a time in UTC of this century, as in 2026-11-21T04:19:54Z; else why it is none.
[[nodiscard]] std::string why_no_time(const std::string& text);

// … and for one that is no more than a day after `now`, which is such a time: clocks of machines
// differ, but what is far ahead would stay the newest for good.
[[nodiscard]] std::string why_no_time_until(const std::string& now, const std::string& text);

// "2026-11-21T04:19:54Z", as it is now.
[[nodiscard]] std::string utc_now();

}  // namespace warpgauge::ci
