// SPDX-License-Identifier: Apache-2.0
// Sectors of 32 bytes by hand.
#include "profiling/emulator/models/sector_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t kWholeWarp = ~0U;

LaneAddresses lanes_apart(std::uintptr_t stride, std::uintptr_t first = 4096) {
  LaneAddresses addresses;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = first + lane * stride;
  return addresses;
}

TEST(Sectors, OfNeighbouringWordsAreFour) {
  EXPECT_EQ(count_sectors(lanes_apart(4), kWholeWarp, 4), (SectorCount{4, 4}));
  EXPECT_EQ(count_sectors(lanes_apart(16), kWholeWarp, 16), (SectorCount{16, 16}));
  EXPECT_EQ(count_sectors(lanes_apart(1), kWholeWarp, 1), (SectorCount{1, 1}));
}

TEST(Sectors, OfMisalignedWordsAreOneMore) {
  EXPECT_EQ(count_sectors(lanes_apart(4, 4100), kWholeWarp, 4), (SectorCount{5, 4}));
}

TEST(Sectors, OfScatteredWordsAreOneEach) {
  EXPECT_EQ(count_sectors(lanes_apart(8), kWholeWarp, 4), (SectorCount{8, 4}));
  EXPECT_EQ(count_sectors(lanes_apart(1024), kWholeWarp, 4), (SectorCount{32, 4}));
  EXPECT_EQ(count_sectors(lanes_apart(1024), 0x00000007U, 4), (SectorCount{3, 1}));
}

TEST(Sectors, AreMovedOnceForAllLanes) {
  EXPECT_EQ(count_sectors(lanes_apart(0), kWholeWarp, 4), (SectorCount{1, 1}));
}

TEST(Sectors, DoNotDependOnTheOrderOfLanes) {
  LaneAddresses reversed = lanes_apart(4);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(count_sectors(reversed, kWholeWarp, 4), (SectorCount{4, 4}));
  LaneAddresses interleaved = lanes_apart(0);
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) interleaved[lane] += lane % 2 * 64;
  EXPECT_EQ(count_sectors(interleaved, kWholeWarp, 4), (SectorCount{2, 1}));
}

TEST(Sectors, OfAnAccessAcrossABorderAreTwo) {
  EXPECT_EQ(count_sectors(lanes_apart(0, 4096 + 28), 1U, 8), (SectorCount{2, 1}));
}

}  // namespace
}  // namespace warpgauge::emulator
