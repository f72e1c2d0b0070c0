// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/occupancy.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace warpgauge::ci {
namespace {

std::optional<std::uint64_t> resident_warps(const std::string& architecture,
                                            const KernelNeeds& needs) {
  const auto found = occupancy(architecture, needs);
  return found ? std::optional(found->warps) : std::nullopt;
}

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
  EXPECT_EQ(resident_warps("sm_110", {64, 16, 0}), 48U);
  EXPECT_EQ(resident_warps("sm_101", {64, 16, 0}), 48U) << "as CUDA 12 calls sm_110";
  EXPECT_EQ(resident_warps("sm_88", {64, 16, 0}), 32U);
}

// Figures of the same calculator.
TEST(Occupancy, IsLimitedByBarriers) {
  EXPECT_EQ(resident_warps("sm_89", {64, 16, 0, 16}), 48U) << "not before 9.0";
  EXPECT_EQ(resident_warps("sm_90", {64, 16, 0, 2}), 64U) << "64 barriers";
  EXPECT_EQ(resident_warps("sm_90", {64, 16, 0, 5}), 24U);
  EXPECT_EQ(resident_warps("sm_120", {64, 16, 0, 16}), 2U);
  EXPECT_EQ(occupancy("sm_90", {64, 16, 0, 16})->limit, "barriers");
}

TEST(Occupancy, OfWhatCannotBeLaunchedIsNone) {
  const auto limit = [](const KernelNeeds& needs) {
    const auto found = occupancy("sm_90", needs);
    return std::to_string(found->warps) + " " + found->limit;
  };
  EXPECT_EQ(limit({1024, 65, 0}), "0 registers") << "too many a block";
  EXPECT_EQ(limit({32, 16, 228 * 1024}), "0 shared memory") << "1 KiB is the system's";
  EXPECT_EQ(limit({1025, 16, 0}), "0 block size");
  EXPECT_EQ(limit({32, 256, 0}), "0 registers");
  EXPECT_EQ(limit({32, 16, ~0ULL}), "0 shared memory");
}

TEST(Occupancy, OfAnUnknownArchitectureOrBlockIsNotKnown) {
  EXPECT_EQ(resident_warps("sm_90", {0, 16, 0}), std::nullopt);
  EXPECT_EQ(resident_warps("sm_42", {256, 32, 0}), std::nullopt) << "not known";
  EXPECT_EQ(resident_warps("", {256, 32, 0}), std::nullopt);
}

}  // namespace
}  // namespace warpgauge::ci
