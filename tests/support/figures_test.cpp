// SPDX-License-Identifier: Apache-2.0
// Two figures side by side: what differs reads differently, and no figure has an exponent.
#include "ci/support/figures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

TEST(Figures, HaveAPrefixInsteadOfAnExponent) {
  EXPECT_EQ(readable_count(80'093.5), "80.1 k");
  EXPECT_EQ(readable_count(-80'093.5), "-80.1 k");
  EXPECT_EQ(readable_count(0.00001234), "0.00001234");
  EXPECT_EQ(readable_count(98.2401), "98.24");
  EXPECT_EQ(readable_count(3e18), "3.0 E");
  EXPECT_EQ(readable_figure("span", 167'300), "167.3 µs");
  EXPECT_EQ(readable_figure("wall_time_ns", 36'610), "36.61 µs");
  EXPECT_EQ(readable_large(2.5e12), "2.5 T");
}

TEST(Figures, StandSideBySideInUnitsAPersonReads) {
  EXPECT_EQ(readable_arrow("time", 40'540, 78'030), "40.54 µs → 78.03 µs");
  EXPECT_EQ(readable_arrow("span", 167'300, 172'000), "167.3 µs → 172.0 µs");
  EXPECT_EQ(readable_arrow("shared_load_wavefronts", 524'288, 16'777'216), "524.3 k → 16.8 M");
  EXPECT_EQ(readable_arrow("dram_read_bytes", 67'145'984, 80'000'000), "67.1 MB → 80.0 MB");
  EXPECT_EQ(readable_arrow("bytes_per_second", 11.4e9, 9.6e9), "11.4 GB/s → 9.6 GB/s");
  EXPECT_EQ(readable_arrow("items_per_second", 80'200, 950), "80.2 k/s → 950/s");
  EXPECT_EQ(readable_arrow("shared_load_wavefronts", 1'536, 49'152), "1,536 → 49,152");
  EXPECT_EQ(readable_arrow("registers", 32, 40), "32 → 40");
  EXPECT_EQ(readable_arrow("barriers", std::nullopt, 2), "– → 2");
}

TEST(Figures, ThatDifferByLittleShowTheLastDigits) {
  EXPECT_EQ(readable_arrow("global_load_sectors", 4'194'436, 4'194'320), "4,194,436 → 4,194,320");
  EXPECT_EQ(readable_arrow("ratio", 1.00002, 1.00004), "1.00002 → 1.00004");
  EXPECT_EQ(readable_arrow("time", 40'540.1, 40'540.3), "40.5401 µs → 40.5403 µs");
}

TEST(Figures, ThatDifferNeverReadTheSame) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-6, 17);
  std::uniform_real_distribution<double> change(-11, 1);
  for (int i = 0; i < 2'000; ++i) {
    double before = std::pow(10, exponent(random));
    double after = before * (1 + std::pow(10, change(random)));
    for (const char* metric : {"time", "registers", "dram_read_bytes", "bytes_per_second"}) {
      const ReadablePair pair = readable_pair(metric, before, after);
      EXPECT_NE(pair.before, pair.after) << metric << ' ' << before << ' ' << after;
      EXPECT_EQ((pair.before + pair.after).find("e+"), std::string::npos) << pair.before;
    }
    before = std::round(before);
    if (after = std::round(after); before == after) continue;
    const ReadablePair whole = readable_pair("registers", before, after);
    EXPECT_NE(whole.before, whole.after) << before << ' ' << after;
  }
}

TEST(Figures, TheSmallestPHasNoExponent) {
  EXPECT_EQ(readable_p(0.042), "0.04");
  EXPECT_EQ(readable_p(1e-4), "0.0001");
  EXPECT_EQ(readable_p(3e-23), "below 0.0001");
  EXPECT_EQ(readable_p(0), "below 0.0001");
}

}  // namespace
}  // namespace warpgauge::ci
