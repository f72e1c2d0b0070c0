// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/shared_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace warpgauge::emulator {
namespace {

class SharedValuesTest : public testing::Test {
 protected:
  SharedValuesTest() { values_.begin_launch(reinterpret_cast<std::uintptr_t>(memory_.data())); }

  // Announces a write, does it, and stops.
  template <class T>
  void write(std::size_t offset, T value) {
    values_.announce(address(offset), sizeof(T), false);
    std::memcpy(&memory_[offset], &value, sizeof(T));
    values_.lane_stopped(false);
  }
  std::uintptr_t address(std::size_t offset) const {
    return reinterpret_cast<std::uintptr_t>(&memory_[offset]);
  }

  alignas(16) std::array<unsigned char, 64> memory_{};
  SharedValues values_{64};
};

TEST_F(SharedValuesTest, EqualWritesDoNotDiffer) {
  write(0, 7);
  write(0, 7);
  EXPECT_FALSE(values_.differ(0, 4));
  write(0, 8);
  EXPECT_TRUE(values_.differ(0, 4));
  EXPECT_FALSE(values_.differ(4, 4));
}

TEST_F(SharedValuesTest, BytesAreApart) {
  write<unsigned char>(1, 5);
  write<unsigned char>(2, 6);
  EXPECT_FALSE(values_.differ(0, 4));
  write<unsigned char>(2, 7);
  EXPECT_TRUE(values_.differ(0, 4));
  EXPECT_FALSE(values_.differ(0, 2));
}

TEST_F(SharedValuesTest, WideWritesDifferByTheByte) {
  write<std::uint64_t>(8, 0x1'0000'0001);
  write<std::uint64_t>(8, 0x2'0000'0001);
  EXPECT_FALSE(values_.differ(8, 4));
  EXPECT_TRUE(values_.differ(12, 4));
}

TEST_F(SharedValuesTest, ABarrierForgets) {
  write(0, 7);
  values_.forget();
  write(0, 8);
  EXPECT_FALSE(values_.differ(0, 4));
}

TEST_F(SharedValuesTest, OneLaneThatChangesItsMindDiffers) {
  write(0, 7);
  for (const int value : {8, 7}) {
    values_.announce(address(0), 4, false);
    std::memcpy(memory_.data(), &value, sizeof value);
  }
  values_.lane_stopped(false);
  EXPECT_TRUE(values_.differ(0, 4));
}

TEST_F(SharedValuesTest, WhatIsYetToBeWrittenDiffers) {
  values_.announce(address(0), 4, false);
  values_.lane_stopped(true);
  EXPECT_TRUE(values_.differ(0, 4));
}

TEST_F(SharedValuesTest, AtomicsDiffer) {
  values_.announce(address(0), 4, true);
  values_.lane_stopped(false);
  EXPECT_TRUE(values_.differ(0, 4));
}

TEST_F(SharedValuesTest, OtherMemoryIsNoneOfItsBusiness) {
  values_.announce(address(0) + 64, 4, true);
  values_.announce(address(0) - 4, 4, true);
  values_.lane_stopped(true);
  EXPECT_FALSE(values_.differ(0, 64));
}

}  // namespace
}  // namespace warpgauge::emulator
