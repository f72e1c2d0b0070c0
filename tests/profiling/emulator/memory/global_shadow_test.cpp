// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/global_shadow.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpgauge::emulator {
namespace {

constexpr std::uintptr_t kData = 0x10000;
constexpr std::uintptr_t kFlag = 0x20000;

// Accesses of one lane, distinguished by their pc.
class GlobalShadowTest : public testing::Test {
 protected:
  std::optional<GlobalHazard> access(std::uint32_t block, RecordKind kind, std::uintptr_t address,
                                     bool is_volatile = false, unsigned bytes = 4) {
    LaneAddresses addresses{};
    addresses[0] = address;
    WarpAccess warp;
    warp.block = block;
    warp.grid_barriers = grid_barriers_;
    warp.pc = ++pc_;
    warp.bytes = bytes;
    warp.kind = kind;
    warp.is_volatile = is_volatile;
    warp.lanes = 1;
    return shadow_.note(cursor_, warp, addresses);
  }
  std::optional<GlobalHazard> load(std::uint32_t block, std::uintptr_t address = kData) {
    return access(block, RecordKind::load, address);
  }
  std::optional<GlobalHazard> store(std::uint32_t block, std::uintptr_t address = kData) {
    return access(block, RecordKind::store, address);
  }
  std::optional<GlobalHazard> atomic(std::uint32_t block, std::uintptr_t address = kFlag) {
    return access(block, RecordKind::atomic, address);
  }

  GlobalShadow shadow_;
  GlobalShadow::Cursor cursor_;
  std::uint32_t pc_ = 0;
  std::uint32_t grid_barriers_ = 0;
};

class Unordered : public GlobalShadowTest {
 protected:
  void SetUp() override { begin_launch(); }
  void begin_launch() {
    shadow_.begin_launch();
    shadow_.blocks_are_unordered();
  }
  // The warp of 32 lanes, each 4 bytes.
  void side_by_side(std::uint32_t block, RecordKind kind, std::uintptr_t address,
                    unsigned bytes = 4) {
    LaneAddresses addresses{};
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      addresses[lane] = address + std::uintptr_t{lane} * bytes;
    }
    WarpAccess warp;
    warp.block = block;
    warp.first_thread = 64;
    warp.pc = ++pc_;
    warp.bytes = bytes;
    warp.kind = kind;
    warp.lanes = ~0U;
    warp.side_by_side = true;
    static_cast<void>(shadow_.note(cursor_, warp, addresses));
  }
};

TEST_F(Unordered, AWarpAtOnceIsRememberedByThread) {
  for (const unsigned bytes : {4U, 8U, 16U}) {
    begin_launch();
    side_by_side(3, RecordKind::store, kData + 64, bytes);  // not where a segment begins
    static_cast<void>(load(5, kData + 64 + 9 * bytes));
    const auto races = shadow_.races();
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].first.thread, 64 + 9);
    EXPECT_EQ(races[0].address, kData + 64 + 9 * bytes);
  }
}

TEST_F(Unordered, WarpsThatShareASegmentButNoWordDoNotRace) {
  side_by_side(3, RecordKind::store, kData + 64);
  side_by_side(4, RecordKind::store, kData + 64 + 128);
  side_by_side(4, RecordKind::load, kData + 64 + 128);
  EXPECT_TRUE(shadow_.races().empty());
  side_by_side(5, RecordKind::load, kData + 60);
  ASSERT_EQ(shadow_.races().size(), 1U);
  EXPECT_EQ(shadow_.races()[0].second.thread, 64 + 1);
}

TEST_F(Unordered, WhatTheFirstBlockDidBeforeItWasKnownCounts) {
  shadow_.begin_launch();
  static_cast<void>(store(0));
  static_cast<void>(access(0, RecordKind::load, kData + 9, false, 1));
  shadow_.blocks_are_unordered();
  static_cast<void>(load(1));
  static_cast<void>(access(1, RecordKind::store, kData + 9, false, 1));
  EXPECT_EQ(shadow_.races().size(), 2U);
}

TEST_F(Unordered, AWriteAndAnyAccessByAnotherBlockRace) {
  EXPECT_FALSE(store(3));
  EXPECT_FALSE(load(7));
  const auto races = shadow_.races();
  ASSERT_EQ(races.size(), 1U);
  EXPECT_EQ(races[0].first.block, 3U);
  EXPECT_TRUE(races[0].first.writes);
  EXPECT_EQ(races[0].second.block, 7U);
  EXPECT_FALSE(races[0].second.writes);
  EXPECT_EQ(races[0].address, kData);
}

TEST_F(Unordered, ReadsAndWhatOneBlockDoesAloneDoNot) {
  for (const std::uint32_t block : {0U, 1U, 2U}) static_cast<void>(load(block));
  static_cast<void>(store(5, kData + 4));
  static_cast<void>(load(5, kData + 4));
  EXPECT_TRUE(shadow_.races().empty());
}

TEST_F(Unordered, AtomicsRaceWithPlainAccessesOnlyWhicheverBlockMakesThem) {
  for (const std::uint32_t plain : {0U, 2U, 9U}) {
    for (const bool writes : {true, false}) {
      begin_launch();
      for (const std::uint32_t block : {5U, 1U, 7U}) {
        static_cast<void>(atomic(block, kData));
        static_cast<void>(access(block, RecordKind::load, kData, true));
      }
      EXPECT_TRUE(shadow_.races().empty());
      static_cast<void>(writes ? store(plain) : load(plain));
      ASSERT_EQ(shadow_.races().size(), 1U);
      EXPECT_TRUE(shadow_.races()[0].first.block == plain ||
                  shadow_.races()[0].second.block == plain);
    }
  }
  begin_launch();
  static_cast<void>(atomic(1, kData));
  static_cast<void>(load(1));
  EXPECT_TRUE(shadow_.races().empty());
}

TEST_F(Unordered, BlocksThatFenceMayBeOrdered) {
  static_cast<void>(store(1));
  static_cast<void>(load(2));
  EXPECT_EQ(shadow_.races().size(), 1U);
  shadow_.fence(2);
  EXPECT_TRUE(shadow_.races().empty());
  begin_launch();
  static_cast<void>(store(1));
  static_cast<void>(load(2));
  EXPECT_EQ(shadow_.races().size(), 1U);
}

TEST_F(Unordered, TheRaceFoundDoesNotDependOnWhoCameFirst) {
  std::vector<std::vector<std::uint32_t>> orders{{1, 2, 3, 4}, {4, 3, 2, 1}, {2, 4, 1, 3}};
  for (const auto& order : orders) {
    begin_launch();
    for (const std::uint32_t block : order) {
      static_cast<void>(block == 3 ? store(block) : load(block));
    }
    const auto races = shadow_.races();
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].first.block, 3U);
    EXPECT_EQ(races[0].second.block, 1U);
  }
}

TEST_F(Unordered, ALaunchKnowsNothingOfTheLastOne) {
  static_cast<void>(store(1));
  begin_launch();
  static_cast<void>(load(2));
  EXPECT_TRUE(shadow_.races().empty());
}

TEST_F(Unordered, BytesOfOneWordAreDifferentPlaces) {
  static_cast<void>(access(1, RecordKind::store, kData, false, 1));
  static_cast<void>(access(2, RecordKind::store, kData + 1, false, 1));
  EXPECT_TRUE(shadow_.races().empty());
  static_cast<void>(load(3));
  EXPECT_FALSE(shadow_.races().empty());
}

class Ordered : public GlobalShadowTest {
 protected:
  void SetUp() override { shadow_.begin_launch(); }
};

TEST_F(Ordered, WithoutAnythingPublishedAnAccessRaces) {
  static_cast<void>(store(1));
  EXPECT_TRUE(load(2));
  static_cast<void>(load(3, kData + 4));
  EXPECT_TRUE(store(4, kData + 4));
}

TEST_F(Ordered, AFenceAndAnAtomicPublishToWhoAcquires) {
  static_cast<void>(store(1));
  shadow_.fence(1);
  EXPECT_FALSE(atomic(1));
  EXPECT_FALSE(atomic(2));
  EXPECT_FALSE(load(2));
}

TEST_F(Ordered, WithoutTheFenceNothingIsPublished) {
  static_cast<void>(store(1));
  static_cast<void>(atomic(1));
  static_cast<void>(atomic(2));
  EXPECT_TRUE(load(2));
}

TEST_F(Ordered, WhatComesAfterTheFenceIsNotPublished) {
  shadow_.fence(1);
  static_cast<void>(store(1));
  static_cast<void>(atomic(1));
  static_cast<void>(atomic(2));
  EXPECT_TRUE(load(2));
}

TEST_F(Ordered, WhoDoesNotAcquireLearnsNothing) {
  static_cast<void>(store(1));
  shadow_.fence(1);
  static_cast<void>(atomic(1));
  EXPECT_TRUE(load(2));
}

TEST_F(Ordered, WhatIsLearntIsHandedOn) {
  static_cast<void>(store(1));
  shadow_.fence(1);
  static_cast<void>(atomic(1));
  static_cast<void>(atomic(2));
  shadow_.fence(2);
  static_cast<void>(atomic(2, kFlag + 4));
  static_cast<void>(atomic(3, kFlag + 4));
  EXPECT_FALSE(load(3));
}

TEST_F(Ordered, VolatileFlagsPublishLikeAtomics) {
  static_cast<void>(store(1));
  shadow_.fence(1);
  EXPECT_FALSE(access(1, RecordKind::store, kFlag, true));
  EXPECT_FALSE(access(2, RecordKind::load, kFlag, true));
  EXPECT_FALSE(load(2));
}

TEST_F(Ordered, AtomicsOfOneWordDoNotRaceButPlainAccessesDo) {
  static_cast<void>(atomic(1));
  EXPECT_FALSE(atomic(2));
  EXPECT_TRUE(load(3, kFlag));
}

TEST_F(Ordered, ABarrierOfTheGridOrdersAll) {
  static_cast<void>(store(1));
  ++grid_barriers_;
  EXPECT_FALSE(load(2));
}

}  // namespace
}  // namespace warpgauge::emulator
