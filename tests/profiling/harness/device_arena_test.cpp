// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/device_arena.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace warpgauge {
namespace {

constexpr std::size_t kPage = DeviceArena::kPage;

// Nothing is read or written there.
unsigned char* memory() { return reinterpret_cast<unsigned char*>(std::uintptr_t{1} << 40); }

TEST(DeviceArena, EachBufferBeginsAtAPageAndNoneOverlap) {
  DeviceArena arena(memory(), 64 * kPage);
  std::map<std::size_t, std::size_t> ends;
  for (const std::size_t bytes : {std::size_t{4}, kPage + 1, kPage, 3 * kPage, std::size_t{512}}) {
    const auto* data = static_cast<unsigned char*>(arena.take(bytes));
    ASSERT_NE(data, nullptr);
    const auto first = static_cast<std::size_t>(data - memory());
    EXPECT_EQ(first % kPage, 0U);
    EXPECT_LE(first + bytes, 64 * kPage);
    ends[first] = first + bytes;
  }
  std::size_t end = 0;
  for (const auto& [first, last] : ends) {
    EXPECT_GE(first, end);
    end = last;
  }
  EXPECT_EQ(ends.size(), 5U);
}

TEST(DeviceArena, PlacesDifferFromDrawToDraw) {
  DeviceArena arena(memory(), 1024 * kPage);
  std::set<void*> places;
  for (int i = 0; i < 64; ++i) {
    void* data = arena.take(kPage);
    ASSERT_NE(data, nullptr);
    places.insert(data);
    EXPECT_TRUE(arena.give_back(data));
  }
  EXPECT_GT(places.size(), 50U);
}

TEST(DeviceArena, WhatIsGivenBackCanBeTakenAgain) {
  DeviceArena arena(memory(), 8 * kPage);
  for (int i = 0; i < 100; ++i) {
    void* data = arena.take(kPage);
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(arena.give_back(data));
  }
}

TEST(DeviceArena, RefusesWhatIsTooLargeOrNotItsOwn) {
  DeviceArena arena(memory(), 64 * kPage);
  EXPECT_EQ(arena.take(8 * kPage + 1), nullptr);
  EXPECT_EQ(arena.take(0), nullptr);
  EXPECT_FALSE(arena.give_back(memory() - 1));
  EXPECT_FALSE(arena.give_back(memory() + 64 * kPage));
  DeviceArena none(nullptr, 0);
  EXPECT_EQ(none.take(4), nullptr);
  EXPECT_FALSE(none.give_back(nullptr));
}

TEST(DeviceArena, AFullOneRefuses) {
  DeviceArena arena(memory(), 8 * kPage);
  int taken = 0;
  for (int i = 0; i < 20; ++i) taken += arena.take(kPage) != nullptr ? 1 : 0;
  EXPECT_GT(taken, 4);
  EXPECT_LE(taken, 8);
}

}  // namespace
}  // namespace warpgauge
