// SPDX-License-Identifier: Apache-2.0
// Wavefronts by hand: 32 banks of 4 bytes.
#include "profiling/emulator/models/bank_model.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/profiling/emulator/models/wide_loads_on_h200.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::uint32_t kAllLanes = ~0U;

unsigned load_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  return count_wavefronts(addresses, lanes, bytes, Access::load).needed;
}

unsigned store_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  return count_wavefronts(addresses, lanes, bytes, Access::store).needed;
}

unsigned atomic_wavefronts(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  return count_wavefronts(addresses, lanes, bytes, Access::atomic).needed;
}

unsigned ideal_wavefronts(std::uint32_t lanes, unsigned bytes, Access access = Access::load) {
  LaneAddresses side_by_side;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) side_by_side[lane] = lane * bytes;
  return count_wavefronts(side_by_side, lanes, bytes, access).ideal;
}

// Lane i at `stride` · i bytes.
LaneAddresses strided(std::uintptr_t stride, std::uintptr_t first = 4096) {
  LaneAddresses addresses;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = first + lane * stride;
  return addresses;
}

TEST(LoadWavefronts, OfWordsAreTheGreatestCommonDivisorOfStrideAndBanks) {
  EXPECT_EQ(load_wavefronts(strided(4), kAllLanes, 4), 1U);
  EXPECT_EQ(load_wavefronts(strided(8), kAllLanes, 4), 2U);
  EXPECT_EQ(load_wavefronts(strided(12), kAllLanes, 4), 1U);
  EXPECT_EQ(load_wavefronts(strided(24), kAllLanes, 4), 2U);
  EXPECT_EQ(load_wavefronts(strided(64), kAllLanes, 4), 16U);
  EXPECT_EQ(load_wavefronts(strided(128), kAllLanes, 4), 32U);
  EXPECT_EQ(load_wavefronts(strided(132), kAllLanes, 4), 1U);
}

TEST(LoadWavefronts, OfOneWordAreOne) {
  EXPECT_EQ(load_wavefronts(strided(0), kAllLanes, 4), 1U);
  EXPECT_EQ(load_wavefronts(strided(1), kAllLanes, 1), 1U);
  EXPECT_EQ(load_wavefronts(strided(2), kAllLanes, 2), 1U);
}

TEST(LoadWavefronts, CountDistinctWordsOnly) {
  LaneAddresses two_words = strided(0);
  for (unsigned lane = 16; lane < 32; ++lane) two_words[lane] += 128;
  EXPECT_EQ(load_wavefronts(two_words, kAllLanes, 4), 2U);
  two_words[31] += 128;
  EXPECT_EQ(load_wavefronts(two_words, kAllLanes, 4), 3U);
}

TEST(LoadWavefronts, IgnoreLanesThatTakeNoPart) {
  EXPECT_EQ(load_wavefronts(strided(128), 0x00000007U, 4), 3U);
  EXPECT_EQ(load_wavefronts(strided(128), 0x80000000U, 4), 1U);
}

TEST(LoadWavefronts, DoNotDependOnWhereTheArrayLies) {
  EXPECT_EQ(load_wavefronts(strided(8, 4100), kAllLanes, 4), 2U);
  EXPECT_EQ(load_wavefronts(strided(4, 4220), kAllLanes, 4), 1U);
}

TEST(LoadWavefronts, Of8BytesRunInTwoPhases) {
  EXPECT_EQ(load_wavefronts(strided(8), kAllLanes, 8), 2U);
  EXPECT_EQ(load_wavefronts(strided(16), kAllLanes, 8), 4U);
  EXPECT_EQ(load_wavefronts(strided(8), 0x0000ffffU, 8), 1U);
  EXPECT_EQ(load_wavefronts(strided(128), kAllLanes, 8), 32U);
}

// Counted on an NVIDIA H200.
TEST(LoadWavefronts, OfWideAccessesAreFewerWhereLanesShareInPairs) {
  const auto elements = [](auto&& element_of, unsigned bytes) {
    LaneAddresses addresses;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) addresses[lane] = element_of(lane) * bytes;
    return addresses;
  };
  const auto wavefronts = [&](auto&& element_of) {
    return std::pair(load_wavefronts(elements(element_of, 8), kAllLanes, 8),
                     load_wavefronts(elements(element_of, 16), kAllLanes, 16));
  };
  EXPECT_EQ(wavefronts([](unsigned) { return 0U; }), std::pair(1U, 2U));
  EXPECT_EQ(wavefronts([](unsigned lane) { return lane / 2; }), std::pair(1U, 2U));
  EXPECT_EQ(wavefronts([](unsigned lane) { return lane % 2; }), std::pair(1U, 2U));
  EXPECT_EQ(wavefronts([](unsigned lane) { return lane / 16 * 32; }), std::pair(2U, 2U));
  // Neither with a neighbour nor with the next but one, and in pairs that conflict.
  EXPECT_EQ(wavefronts([](unsigned lane) { return lane % 4; }), std::pair(2U, 4U));
  EXPECT_EQ(wavefronts([](unsigned lane) { return lane % 2 * 32; }), std::pair(4U, 8U));
}

TEST(StoreWavefronts, Of8BytesRunInTwoPhasesWhateverTheLanesShare) {
  EXPECT_EQ(store_wavefronts(strided(8), kAllLanes, 8), 2U);
  EXPECT_EQ(store_wavefronts(strided(0), kAllLanes, 8), 2U);
  EXPECT_EQ(store_wavefronts(strided(0), kAllLanes, 16), 4U);
}

TEST(LoadWavefronts, Of16BytesRunInFourPhases) {
  EXPECT_EQ(load_wavefronts(strided(16), kAllLanes, 16), 4U);
  EXPECT_EQ(load_wavefronts(strided(32), kAllLanes, 16), 8U);
  EXPECT_EQ(load_wavefronts(strided(128), kAllLanes, 16), 32U);
  EXPECT_EQ(load_wavefronts(strided(16), 0xff0000ffU, 16), 2U);
}

TEST(AtomicWavefronts, CountEveryLaneOfABank) {
  EXPECT_EQ(atomic_wavefronts(strided(4), kAllLanes, 4), 1U);
  EXPECT_EQ(atomic_wavefronts(strided(0), kAllLanes, 4), 32U);
  EXPECT_EQ(atomic_wavefronts(strided(8), kAllLanes, 4), 2U);
  EXPECT_EQ(atomic_wavefronts(strided(0), 0x0000000fU, 4), 4U);
}

TEST(LoadWavefronts, Of16BytesAreThoseOfAnH200) {
  for (const WideLoad& load : kWideLoadsOnH200) {
    LaneAddresses addresses{};
    std::uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      if (load.elements[lane] == '.') continue;
      addresses[lane] = std::uintptr_t{16} * static_cast<unsigned>(load.elements[lane] - '0');
      lanes |= 1U << lane;
    }
    EXPECT_EQ(load_wavefronts(addresses, lanes, 16), load.wavefronts) << load.elements;
  }
}

TEST(IdealWavefronts, AreOneForEachPhaseInUse) {
  EXPECT_EQ(ideal_wavefronts(kAllLanes, 4), 1U);
  EXPECT_EQ(ideal_wavefronts(1U, 1), 1U);
  EXPECT_EQ(ideal_wavefronts(kAllLanes, 8), 2U);
  EXPECT_EQ(ideal_wavefronts(0xffff0000U, 8), 1U);
  EXPECT_EQ(ideal_wavefronts(kAllLanes, 16), 4U);
  EXPECT_EQ(ideal_wavefronts(0x00010100U, 16), 2U);
}

}  // namespace
}  // namespace warpgauge::emulator
