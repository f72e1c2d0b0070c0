// SPDX-License-Identifier: Apache-2.0
#include "ci/support/utc_time.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpgauge::ci {
namespace {

constexpr const char* kNow = "2026-11-22T00:00:00Z";

TEST(UtcTime, IsInUtcOfThisCentury) {
  for (const char* time :
       {"2026-11-21T04:19:54Z", "2000-01-01T00:00:00Z", "2028-02-29T23:59:59Z"}) {
    EXPECT_EQ(why_no_time(time), "") << time;
  }
  for (const std::string time :
       {"", "now", "2026-11-21", "2026-11-21T04:19:54", "2026-11-21T04:19:54+01:00",
        "2026-11-21 04:19:54Z", "2026-11-21T04:19:54Z ", "2026-02-30T00:00:00Z",
        "2026-11-21T24:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T00:00:00Z",
        "\x1b[31m2026-11-21T04:19:54Z", "2026-1-21T04:19:54Z"}) {
    EXPECT_NE(why_no_time(time), "") << time;
    EXPECT_EQ(why_no_time(time).find('\x1b'), std::string::npos);
  }
  EXPECT_NE(why_no_time(std::string("2026-11-21T04:19:54Z\0", 21)), "");
}

TEST(UtcTime, IsNoMoreThanADayAhead) {
  EXPECT_EQ(why_no_time_until(kNow, "2026-11-23T00:00:00Z"), "");
  EXPECT_NE(why_no_time_until(kNow, "2026-11-23T00:00:01Z"), "");
  EXPECT_NE(why_no_time_until(kNow, "2099-11-23T00:00:01Z"), "");
}

}  // namespace
}  // namespace warpgauge::ci
