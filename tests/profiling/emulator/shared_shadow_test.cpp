// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/shared_shadow.hpp"

#include <gtest/gtest.h>

namespace warpgauge::emulator {
namespace {

using Kind = Hazard::Kind;

class SharedShadowTest : public testing::Test {
 protected:
  SharedShadowTest() { shadow_.begin_block(); }

  // The hazard of an access of 4 bytes at offset 0 unless said otherwise; the program counter is
  // the thread's number.
  std::optional<Kind> access(RecordKind kind, unsigned thread, std::size_t offset = 0,
                             unsigned bytes = 4) {
    const auto hazard = shadow_.access(offset, bytes, thread, kind, thread, clocks_);
    if (!hazard) return std::nullopt;
    earlier_ = hazard->earlier_pc;
    return hazard->kind;
  }
  std::optional<Kind> load(unsigned thread, std::size_t offset = 0, unsigned bytes = 4) {
    return access(RecordKind::load, thread, offset, bytes);
  }
  std::optional<Kind> store(unsigned thread, std::size_t offset = 0, unsigned bytes = 4) {
    return access(RecordKind::store, thread, offset, bytes);
  }

  SharedShadow shadow_{256};
  WarpClocks clocks_;
  std::uint32_t earlier_ = 0;
};

constexpr std::optional<Kind> kNone;

TEST_F(SharedShadowTest, ReadOfWhatWasNeverWritten) {
  EXPECT_EQ(load(0), Kind::uninitialized_read);
  EXPECT_EQ(store(0), kNone);
  EXPECT_EQ(load(0), kNone);
  shadow_.begin_block();
  EXPECT_EQ(load(0), Kind::uninitialized_read);
}

TEST_F(SharedShadowTest, OtherThreadsNeedABarrier) {
  EXPECT_EQ(store(7), kNone);
  EXPECT_EQ(load(40), Kind::read_after_write);
  EXPECT_EQ(earlier_, 7U);
  EXPECT_EQ(store(41), Kind::write_after_read) << "two writes might be of the same value";
  shadow_.block_barrier();
  EXPECT_EQ(store(41), kNone);
  EXPECT_EQ(store(42), Kind::write_after_write);
  shadow_.block_barrier();
  EXPECT_EQ(load(40), kNone);
  EXPECT_EQ(store(7), Kind::write_after_read);
  EXPECT_EQ(earlier_, 40U);
}

TEST_F(SharedShadowTest, LanesOfAWarpNeedAWarpBarrier) {
  EXPECT_EQ(store(7), kNone);
  EXPECT_EQ(load(8), Kind::read_after_write);
  clocks_.synchronize(~0U);
  EXPECT_EQ(load(9), kNone);
  clocks_.synchronize(~0U);
  EXPECT_EQ(store(7), kNone);
}

TEST_F(SharedShadowTest, AReadIsRememberedBehindTheWritersOwn) {
  EXPECT_EQ(store(1), kNone);
  shadow_.block_barrier();
  EXPECT_EQ(load(40), kNone);
  EXPECT_EQ(load(1), kNone);
  EXPECT_EQ(load(1), kNone);
  EXPECT_EQ(store(1), Kind::write_after_read);
  EXPECT_EQ(earlier_, 40U);
}

TEST_F(SharedShadowTest, AtomicsDoNotRaceWithEachOther) {
  EXPECT_EQ(store(0), kNone);
  shadow_.block_barrier();
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

}  // namespace
}  // namespace warpgauge::emulator
