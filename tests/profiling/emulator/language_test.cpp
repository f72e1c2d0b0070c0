// SPDX-License-Identifier: Apache-2.0
// What CUDA C++ promises of votes, shuffles, barriers and atomics.
#include <vector>

#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

TEST(WarpFunctions, GiveEachLaneItsAnswer) {
  const DeviceBuffer<unsigned> out(288);
  EXPECT_EQ(join(run(votes, dim3(1), dim3(32), out.data()).errors), "");
  const std::vector<unsigned> result = out.to_host();
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(result[lane], 0x49249249U);
    EXPECT_EQ(result[32 + lane], 1U);
    EXPECT_EQ(result[64 + lane], 0U);
    EXPECT_EQ(result[96 + lane], 0xffU << lane / 8 * 8);
    EXPECT_EQ(result[128 + lane], lane / 8 * 8 + 5);
    EXPECT_EQ(result[160 + lane], lane % 16 < 3 ? lane : lane - 3);
    EXPECT_EQ(result[192 + lane], lane % 16 > 12 ? lane : lane + 3);
    EXPECT_EQ(result[224 + lane], lane ^ 9);
  }
  for (unsigned lane = 0; lane < 12; ++lane) EXPECT_EQ(result[256 + lane], 0xaaaU);
}

TEST(WarpFunctions, MatchAndReduce) {
  const DeviceBuffer<unsigned> out(13 * 32);
  EXPECT_EQ(join(run(matches_and_reductions, dim3(1), dim3(32), out.data()).errors), "");
  const std::vector<unsigned> result = out.to_host();
  const std::vector<int> expected{-1, 1, 0, 0, 31 * 16 - 20 * 32, -20, 11, 0, -1, -16, 31, 6 ^ 1};
  for (std::size_t row = 0; row < expected.size(); ++row) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(static_cast<int>(result[32 * row + lane]), expected[row])
          << "row " << row << ", lane " << lane;
    }
  }
  for (std::size_t lane = 8; lane < 12; ++lane) EXPECT_EQ(result[12 * 32 + lane], 8U + 9 + 10 + 11);
}

TEST(BarrierFunctions, CountOverTheBlock) {
  const DeviceBuffer<int> out(192);
  const Observation observation = run(barrier_votes, dim3(1), dim3(64), out.data());
  EXPECT_EQ(observation.barriers, 3U);
  const std::vector<int> result = out.to_host();
  for (std::size_t thread = 0; thread < 64; ++thread) {
    EXPECT_EQ(result[thread], 40);
    EXPECT_EQ(result[64 + thread], 0);
    EXPECT_EQ(result[128 + thread], 1);
  }
}

TEST(AtomicFunctions, ComputeWhatTheyAreNamedFor) {
  const DeviceBuffer<int> words(std::vector<int>(7, 0));
  const DeviceBuffer<unsigned long long> wide(std::vector<unsigned long long>{0});
  const DeviceBuffer<float> real(std::vector<float>{0});
  const Observation observation =
      run(atomics, dim3(3), dim3(64), words.data(), wide.data(), real.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(words.to_host(), (std::vector<int>{6048, -6048, 63, -63, 255, 9, 11}));
  EXPECT_EQ(wide.to_host()[0], 192ULL << 33);
  EXPECT_EQ(real.to_host()[0], 96.0F);
}

TEST(AtomicFunctions, HaveScopesAndWidths) {
  const DeviceBuffer<int> words(std::vector<int>(4, 0));
  const DeviceBuffer<unsigned short> halves(std::vector<unsigned short>(2, 0));
  const DeviceBuffer<unsigned long long> wide(std::vector<unsigned long long>{0});
  const Observation observation =
      run(scoped_atomics, dim3(1), dim3(64), words.data(), halves.data(), wide.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(words.to_host(), (std::vector<int>{64, 128, 63, 5}));
  EXPECT_EQ(halves.to_host(), (std::vector<unsigned short>{0, 7}));
  EXPECT_EQ(wide.to_host()[0], 1ULL << 40);
  EXPECT_EQ(sum(observation, Access::global_atomic).requests, 6U * 2);
}

TEST(AtomicFunctions, HaveCudasTypes) {
  const DeviceBuffer<unsigned> words(std::vector<unsigned>{0, 0, 0, ~0U});
  const DeviceBuffer<unsigned long long> wide(
      std::vector<unsigned long long>{~0ULL, 0, ~0ULL, 0, 0, 0});
  const DeviceBuffer<long long> wide_signed(std::vector<long long>{0, -(1LL << 50)});
  const DeviceBuffer<double> real(std::vector<double>{0});
  EXPECT_EQ(join(run(atomics_of_all_types, dim3(1), dim3(63), words.data(), wide.data(),
                     wide_signed.data(), real.data())
                     .errors),
            "");
  EXPECT_EQ(words.to_host(), (std::vector<unsigned>{3, 7, 1U << 31, 0}));
  EXPECT_EQ(wide.to_host(),
            (std::vector<unsigned long long>{1ULL << 40, 1ULL << 47, ~(0xffULL << 32),
                                             0xffULL << 32, 1ULL << 33, 1ULL << 50}));
  EXPECT_EQ(wide_signed.to_host(), (std::vector<long long>{-62 - (1LL << 40), 62 - (1LL << 40)}));
  EXPECT_EQ(real.to_host()[0], 63 * 0.25);
}

template <class T>
constexpr bool kHasAtomicMin = requires(T* address, T value) {
  atomicMin(address, value);
};
template <class T>
constexpr bool kHasAtomicSub = requires(T* address, T value) {
  atomicSub(address, value);
};
template <class T>
constexpr bool kHasAtomicCas = requires(T* address, T value) {
  atomicCAS(address, value, value);
};

// A kernel that compiles here compiles with nvcc.
TEST(AtomicFunctions, HaveNoOtherTypesThanCudas) {
  static_assert(kHasAtomicMin<long long> && !kHasAtomicMin<float> && !kHasAtomicMin<double>);
  static_assert(kHasAtomicSub<int> && !kHasAtomicSub<float> && !kHasAtomicSub<unsigned long long>);
  static_assert(kHasAtomicCas<unsigned short> && !kHasAtomicCas<float> && !kHasAtomicCas<short>);
}

TEST(WarpFunctions, ShuffleCudasTypes) {
  const DeviceBuffer<double> out(8 * 32);
  EXPECT_EQ(join(run(shuffles_of_all_types, dim3(1), dim3(32), out.data()).errors), "");
  const std::vector<double> result = out.to_host();
  const double large = static_cast<double>(1LL << 40);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto own = static_cast<double>(lane);
    EXPECT_EQ(result[lane], 3.5);
    EXPECT_EQ(result[32 + lane], large + 3);
    EXPECT_EQ(result[64 + lane], large + static_cast<double>(lane ^ 1));
    EXPECT_EQ(result[96 + lane], lane == 31 ? 31 : own + 1);
    EXPECT_EQ(result[128 + lane], (lane == 0 ? 0 : own - 1) + 0.25);
    EXPECT_EQ(result[160 + lane], large + 3);
    EXPECT_EQ(result[192 + lane], 1);
    EXPECT_EQ(result[224 + lane], -3);
  }
}

TEST(Printf, PrintsFromKernels) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(join(run(print, dim3(1), dim3(32)).errors), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 0 of block 0\nthread 16 of block 0\n");
}

TEST(MinAndMax, ExistWithoutAmbiguity) {
  using namespace std;  // NOLINT: as users do
  static_assert(min(3, 4) == 3 && max(3U, 4U) == 4U && min(-1L, 2L) == -1L);
  EXPECT_EQ(max(1.5F, 2.5F), 2.5F);
  EXPECT_EQ(min(7, 9U), 7U);
}

}  // namespace
}  // namespace warpgauge::emulator
