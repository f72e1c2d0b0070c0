// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/shared_shadow.hpp"

#include <gtest/gtest.h>

namespace warpgauge::emulator {
namespace {

using Kind = Hazard::Kind;

class SharedShadowTest : public testing::Test {
 protected:
  SharedShadowTest() { begin_block(); }

  void begin_block() {
    shadow_.begin_block();
    clocks_.begin_epoch(shadow_.epoch());
  }
  void block_barrier() {
    shadow_.block_barrier();
    clocks_.begin_epoch(shadow_.epoch());
  }
  void warp_barrier() { clocks_.synchronize(~0U, shadow_.next_stamp()); }

  // The hazard of an access of 4 bytes at offset 0 unless said otherwise; the site is the thread's
  // number.
  std::optional<Kind> access(RecordKind kind, unsigned thread, std::size_t offset = 0,
                             unsigned bytes = 4) {
    const auto hazard = shadow_.access(offset, bytes, thread, kind, thread, clocks_);
    if (!hazard) return std::nullopt;
    earlier_ = hazard->earlier_site;
    return hazard->kind;
  }
  std::optional<Kind> load(unsigned thread, std::size_t offset = 0, unsigned bytes = 4) {
    return access(RecordKind::load, thread, offset, bytes);
  }
  std::optional<Kind> store(unsigned thread, std::size_t offset = 0, unsigned bytes = 4) {
    return access(RecordKind::store, thread, offset, bytes);
  }

  SharedShadow shadow_{1024};
  WarpClocks clocks_;
  std::uint32_t earlier_ = 0;
};

constexpr std::optional<Kind> kNone;

TEST_F(SharedShadowTest, ReadOfWhatWasNeverWritten) {
  EXPECT_EQ(load(0), Kind::uninitialized_read);
  EXPECT_EQ(store(0), kNone);
  EXPECT_EQ(load(0), kNone);
  begin_block();
  EXPECT_EQ(load(0), Kind::uninitialized_read);
}

TEST_F(SharedShadowTest, OtherThreadsNeedABarrier) {
  EXPECT_EQ(store(7), kNone);
  EXPECT_EQ(load(40), Kind::read_after_write);
  EXPECT_EQ(earlier_, 7U);
  EXPECT_EQ(store(41), Kind::write_after_read) << "two writes might be of the same value";
  block_barrier();
  EXPECT_EQ(store(41), kNone);
  EXPECT_EQ(store(42), Kind::write_after_write);
  block_barrier();
  EXPECT_EQ(load(40), kNone);
  EXPECT_EQ(store(7), Kind::write_after_read);
  EXPECT_EQ(earlier_, 40U);
}

TEST_F(SharedShadowTest, LanesOfAWarpNeedAWarpBarrier) {
  EXPECT_EQ(store(7), kNone);
  EXPECT_EQ(load(8), Kind::read_after_write);
  warp_barrier();
  EXPECT_EQ(load(9), kNone);
  warp_barrier();
  EXPECT_EQ(store(7), kNone);
}

TEST_F(SharedShadowTest, AReadIsRememberedBehindTheWritersOwn) {
  EXPECT_EQ(store(1), kNone);
  block_barrier();
  EXPECT_EQ(load(40), kNone);
  EXPECT_EQ(load(1), kNone);
  EXPECT_EQ(load(1), kNone);
  EXPECT_EQ(store(1), Kind::write_after_read);
  EXPECT_EQ(earlier_, 40U);
}

TEST_F(SharedShadowTest, AtomicsDoNotRaceWithEachOther) {
  EXPECT_EQ(store(0), kNone);
  block_barrier();
  EXPECT_EQ(access(RecordKind::atomic, 1), kNone);
  EXPECT_EQ(access(RecordKind::atomic, 50), kNone);
  EXPECT_EQ(load(2), Kind::read_after_write);
}

TEST_F(SharedShadowTest, BytesOfAWordAreApart) {
  for (unsigned byte = 0; byte < 4; ++byte) EXPECT_EQ(store(40 * byte, byte, 1), kNone);
  EXPECT_EQ(load(0, 0, 1), kNone);
  EXPECT_EQ(load(0, 1, 1), Kind::read_after_write);
  EXPECT_EQ(load(0, 0, 4), Kind::read_after_write);
}

TEST_F(SharedShadowTest, SplittingAWordKeepsItsPast) {
  EXPECT_EQ(store(0, 8, 4), kNone);
  EXPECT_EQ(load(40, 9, 1), Kind::read_after_write);
}

TEST_F(SharedShadowTest, WideAccessesTouchAllTheirWords) {
  EXPECT_EQ(store(0, 16, 16), kNone);
  EXPECT_EQ(load(40, 28, 4), Kind::read_after_write);
  EXPECT_EQ(load(40, 32, 4), Kind::uninitialized_read);
}

// Lanes at once must find what each by itself would, and leave the same behind.
class ManyLanes : public SharedShadowTest {
 protected:
  [[nodiscard]] bool side_by_side(RecordKind kind, unsigned first_thread, unsigned lanes = 32,
                                  unsigned bytes = 4) {
    return shadow_.access_side_by_side(0, bytes, first_thread, lanes, kind, first_thread, clocks_);
  }
};

TEST_F(ManyLanes, SeeWhatWasNeverWritten) {
  EXPECT_FALSE(side_by_side(RecordKind::load, 0));
  EXPECT_TRUE(side_by_side(RecordKind::store, 0, 31));
  EXPECT_TRUE(side_by_side(RecordKind::load, 0, 31));
  EXPECT_FALSE(side_by_side(RecordKind::load, 0, 32));
}

TEST_F(ManyLanes, LeaveTheirOwnThreadBehind) {
  for (const unsigned bytes : {4U, 8U, 16U}) {
    begin_block();
    EXPECT_TRUE(side_by_side(RecordKind::store, 64, 32, bytes));
    EXPECT_EQ(load(64 + 5, 5 * bytes + bytes - 4), kNone);
    EXPECT_EQ(load(64 + 6, 5 * bytes), Kind::read_after_write);
    block_barrier();
    EXPECT_TRUE(side_by_side(RecordKind::load, 96, 32, bytes));
    EXPECT_EQ(store(96 + 7, 7 * bytes), kNone);
    EXPECT_EQ(store(96 + 7, 9 * bytes), Kind::write_after_read);
  }
}

TEST_F(ManyLanes, OfAnotherWarpNeedABarrier) {
  EXPECT_TRUE(side_by_side(RecordKind::store, 0));
  EXPECT_FALSE(side_by_side(RecordKind::load, 32));
  EXPECT_FALSE(side_by_side(RecordKind::store, 32));
  block_barrier();
  EXPECT_TRUE(side_by_side(RecordKind::load, 32));
  EXPECT_TRUE(side_by_side(RecordKind::load, 64));
  EXPECT_FALSE(side_by_side(RecordKind::store, 64));
  EXPECT_EQ(store(64), Kind::write_after_read);
  EXPECT_EQ(earlier_, 32U);
}

TEST_F(ManyLanes, ThatAreNotAtTheSameTimeAreLookedAtByThemselves) {
  EXPECT_TRUE(side_by_side(RecordKind::store, 0));
  clocks_.synchronize(0xffff, shadow_.next_stamp());
  EXPECT_FALSE(side_by_side(RecordKind::load, 0));
}

TEST_F(ManyLanes, OfOneWordAreRememberedByTheLastTwo) {
  EXPECT_EQ(store(40), kNone);
  EXPECT_FALSE(shadow_.load_same_word(0, 0, 32, 1, clocks_));
  block_barrier();
  EXPECT_TRUE(shadow_.load_same_word(0, 0, 32, 1, clocks_));
  EXPECT_EQ(store(31), Kind::write_after_read);
  EXPECT_EQ(earlier_, 1U);
}

TEST_F(ManyLanes, SeeBytes) {
  EXPECT_EQ(store(40, 1, 1), kNone);
  EXPECT_FALSE(side_by_side(RecordKind::store, 0));
}

TEST_F(ManyLanes, AWordByItselfIsRefusedWhereThereMayBeAHazard) {
  EXPECT_FALSE(shadow_.access_word(0, 0, RecordKind::load, 0, clocks_));
  EXPECT_TRUE(shadow_.access_word(0, 0, RecordKind::store, 0, clocks_));
  EXPECT_TRUE(shadow_.access_word(0, 0, RecordKind::load, 0, clocks_));
  EXPECT_FALSE(shadow_.access_word(0, 1, RecordKind::load, 1, clocks_));
  block_barrier();
  EXPECT_TRUE(shadow_.access_word(0, 40, RecordKind::load, 40, clocks_));
  EXPECT_TRUE(shadow_.access_word(0, 1, RecordKind::load, 1, clocks_));
  EXPECT_FALSE(shadow_.access_word(0, 1, RecordKind::store, 1, clocks_));
  EXPECT_EQ(store(1), Kind::write_after_read);
  EXPECT_EQ(earlier_, 40U);
}

}  // namespace
}  // namespace warpgauge::emulator
