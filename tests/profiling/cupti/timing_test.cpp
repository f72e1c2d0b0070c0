// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/timing.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpgauge::cupti {
namespace {

Timing three_samples() {
  Timing timing;
  timing.samples_ns = {1, 2, 3};
  timing.spans_ns = {10, 20, 30};
  return timing;
}

TEST(KeepCounting, TakesOutWhatDoesNotCount) {
  Timing timing = three_samples();
  keep_counting(timing, {true, false, true});
  EXPECT_EQ(timing.samples_ns, (std::vector<double>{1, 3}));
  EXPECT_EQ(timing.spans_ns, (std::vector<double>{10, 30}));
  EXPECT_EQ(timing.discarded, 1);
  EXPECT_FALSE(timing.slowed_throughout);
}

TEST(KeepCounting, NeverTakesOutAll) {
  Timing timing = three_samples();
  keep_counting(timing, {false, false, false});
  EXPECT_EQ(timing.samples_ns.size(), 3U);
  EXPECT_EQ(timing.spans_ns.size(), 3U);
  EXPECT_EQ(timing.discarded, 0);
  EXPECT_TRUE(timing.slowed_throughout);
}

TEST(KeepCounting, LeavesWhatHasNoSamples) {
  Timing timing;
  keep_counting(timing, {true, true});
  EXPECT_TRUE(timing.samples_ns.empty());
  EXPECT_EQ(timing.discarded, 0);
}

}  // namespace
}  // namespace warpgauge::cupti
