// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/occupancy.hpp"

#include <gtest/gtest.h>

namespace warpgauge::ci {
namespace {

// Figures of the CUDA toolkit's own calculator, cuda_occupancy.h of 13.0.
TEST(Occupancy, IsThatOfTheToolkitsCalculator) {
  EXPECT_EQ(resident_warps("sm_90", {256, 32, 0}), 64U);
  EXPECT_EQ(resident_warps("sm_90", {256, 33, 0}), 48U) << "allotted by 8 registers a thread";
  EXPECT_EQ(resident_warps("sm_90", {256, 40, 0}), 48U);
  EXPECT_EQ(resident_warps("sm_90", {256, 255, 0}), 8U);
  EXPECT_EQ(resident_warps("sm_90", {1024, 64, 0}), 32U);
  EXPECT_EQ(resident_warps("sm_90", {32, 16, 0}), 32U) << "32 blocks at most";
  EXPECT_EQ(resident_warps("sm_90", {128, 16, 48 * 1024}), 16U) << "49 of 228 KiB a block";
  EXPECT_EQ(resident_warps("sm_90", {33, 16, 0}), 64U) << "two warps a block";
  EXPECT_EQ(resident_warps("sm_90a", {256, 33, 0}), 48U) << "the same multiprocessors";
  EXPECT_EQ(resident_warps("sm_89", {256, 16, 0}), 48U);
  EXPECT_EQ(resident_warps("sm_75", {256, 64, 0}), 32U);
  EXPECT_EQ(resident_warps("sm_80", {64, 16, 0}), 64U);
}

TEST(Occupancy, OfWhatCannotBeLaunchedNothingIsSaid) {
  EXPECT_EQ(resident_warps("sm_90", {1024, 65, 0}), std::nullopt) << "too many registers a block";
  EXPECT_EQ(resident_warps("sm_90", {32, 16, 228 * 1024}), std::nullopt) << "1 KiB is the system's";
  EXPECT_EQ(resident_warps("sm_90", {0, 16, 0}), std::nullopt);
  EXPECT_EQ(resident_warps("sm_90", {1025, 16, 0}), std::nullopt);
  EXPECT_EQ(resident_warps("sm_90", {32, 256, 0}), std::nullopt);
  EXPECT_EQ(resident_warps("sm_90", {32, 16, ~0ULL}), std::nullopt);
  EXPECT_EQ(resident_warps("sm_42", {256, 32, 0}), std::nullopt) << "not known";
  EXPECT_EQ(resident_warps("", {256, 32, 0}), std::nullopt);
}

}  // namespace
}  // namespace warpgauge::ci
