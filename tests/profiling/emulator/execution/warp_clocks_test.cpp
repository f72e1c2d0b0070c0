// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/warp_clocks.hpp"

#include <gtest/gtest.h>

namespace warpgauge::emulator {
namespace {

TEST(WarpClocks, OrderNothingBeforeTheFirstBarrier) {
  WarpClocks clocks;
  clocks.begin_epoch(1);
  EXPECT_FALSE(clocks.ordered(0, 1, clocks.now(1)));
}

TEST(WarpClocks, ABarrierOrdersWhatCameBeforeIt) {
  WarpClocks clocks;
  clocks.begin_epoch(1);
  const auto before = clocks.now(1);
  clocks.synchronize(~0U, 2);
  EXPECT_TRUE(clocks.ordered(0, 1, before));
  EXPECT_FALSE(clocks.ordered(0, 1, clocks.now(1)));
}

TEST(WarpClocks, ABarrierOfSomeOrdersNothingForOthers) {
  WarpClocks clocks;
  clocks.begin_epoch(1);
  const auto before = clocks.now(1);
  clocks.synchronize(0x3U, 3);
  EXPECT_TRUE(clocks.ordered(0, 1, before));
  EXPECT_FALSE(clocks.ordered(2, 1, before));
}

TEST(WarpClocks, KnowledgeIsPassedOn) {
  WarpClocks clocks;
  clocks.begin_epoch(1);
  const auto before = clocks.now(0);
  clocks.synchronize(0x3U, 4);  // 1 knows of 0
  clocks.synchronize(0x6U, 5);  // 2 knows of 1, and so of 0
  EXPECT_TRUE(clocks.ordered(2, 0, before));
  EXPECT_FALSE(clocks.ordered(3, 0, before));
}

TEST(WarpClocks, ABarrierOfAllKeepsWhatWasKnown) {
  WarpClocks clocks;
  clocks.begin_epoch(1);
  const auto before = clocks.now(5);
  clocks.synchronize(0x60U, 6);
  clocks.synchronize(~0U, 7);
  EXPECT_TRUE(clocks.ordered(9, 5, before));
}

}  // namespace
}  // namespace warpgauge::emulator
