// SPDX-License-Identifier: Apache-2.0
// Every variant gives the right result at the sizes at which kernels tend to be wrong, without an
// error reported by the device, on input that differs from run to run.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "profiling/harness/launch.hpp"
#include "profiling/harness/suite/registry.hpp"

namespace warpgauge {

void PrintTo(const VariantInfo& info, std::ostream* out) {
  *out << info.family << "/" << info.variant;
}

namespace {

std::string name_of(const testing::TestParamInfo<VariantInfo>& info) {
  return info.param.family + "_" + info.param.variant;
}

// Skips where there is no device. GTEST_RANDOM_SEED repeats a run.
class Variants : public testing::TestWithParam<VariantInfo> {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no device: " << cudaGetErrorString(error);
    }
    const auto requested = static_cast<std::uint64_t>(testing::GTEST_FLAG(random_seed));
    seed_ = requested != 0 ? requested : std::random_device()();
  }

  void TearDown() override {
    if (HasFailure()) std::printf("repeat with GTEST_RANDOM_SEED=%zu\n", std::size_t{seed_});
  }

  void expect_right(const Sizes& size, Coverage coverage) const {
    const auto fixture = GetParam().make();
    fixture->set_seed(seed_);
    fixture->prepare(size);
    fixture->enqueue();
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const Check check = fixture->check(coverage);
    EXPECT_TRUE(check.passed()) << testing::PrintToString(size) << ": " << check.message();
  }

  std::uint64_t seed_ = 0;
};

TEST_P(Variants, AreRightAtAwkwardSizes) {
  ASSERT_GE(GetParam().sizes.tested.size(), 5U) << "add .tested to SIZES";
  for (const Sizes& size : GetParam().sizes.tested) expect_right(size, Coverage::full);
}

TEST_P(Variants, AreRightAgain) {
  // What a kernel leaves behind, such as a ticket, must be fit for its next launch.
  const auto fixture = GetParam().make();
  fixture->prepare(GetParam().sizes.tested.back());
  for (int i = 0; i < 3; ++i) {
    fixture->enqueue();
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const Check check = fixture->check(Coverage::full);
    EXPECT_TRUE(check.passed()) << "launch " << i << ": " << check.message();
    fixture->poison_result();
  }
}

#ifdef __CUDACC__
TEST_P(Variants, AreRightAtTheSizesOfTheGate) {
  for (const Sizes& size : GetParam().sizes.gpu) expect_right(size, Coverage::full);
}

// Beyond one stride of the grid, and no multiple of anything.
TEST_P(Variants, AreRightBelowTheSizesOfTheGate) {
  for (Sizes size : GetParam().sizes.gpu) {
    size.back() -= 13;
    expect_right(size, Coverage::full);
  }
}

TEST_P(Variants, AreRightBeyondTwoToThe31Elements) {
  if (std::getenv("WARPGAUGE_HUGE") == nullptr) {
    GTEST_SKIP() << "takes some 50 GiB: run with WARPGAUGE_HUGE=1";
  }
  for (const Sizes& size : GetParam().sizes.huge) expect_right(size, Coverage::sampled);
}
#endif

INSTANTIATE_TEST_SUITE_P(All, Variants, testing::ValuesIn(all_variants()), name_of);

}  // namespace
}  // namespace warpgauge
