// SPDX-License-Identifier: Apache-2.0
// The emulator reports each mistake with kernel and line, and is silent about its fixed twin,
// whose result is right.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/random_buffer.hpp"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"
#include "tests/profiling/emulator/specimens/teaching_mistakes.cuh"

namespace warpgauge::emulator {
namespace {

constexpr const char* kFile = "tests/profiling/emulator/specimens/teaching_mistakes.cuh";

// Some blocks and a tail.
constexpr std::size_t kCount = 5 * kSpecimenBlock + 37;
constexpr unsigned kBlocks = 6;

std::string line_of(const std::string& comment) { return find_line(kFile, comment); }

class TeachingMistakes : public testing::Test {
 protected:
  template <class Kernel, class... Arguments>
  [[nodiscard]] static Observation observed(Kernel kernel, unsigned blocks,
                                            Arguments... arguments) {
    return run(kernel, dim3(blocks), dim3(kSpecimenBlock), arguments...);
  }

  static void expect_silent(const Observation& observation) {
    EXPECT_EQ(join(observation.errors), "");
  }

  [[nodiscard]] int sum() const {
    const std::vector<int> values = in_.to_host();
    return std::accumulate(values.begin(), values.end(), 0);
  }

  [[nodiscard]] int sum_of_partials() const {
    const std::vector<int> values = partial_.to_host();
    return std::accumulate(values.begin(), values.end(), 0);
  }

  DeviceBuffer<int> in_ = random_buffer<int>(kCount);
  DeviceBuffer<int> out_{kCount};
  DeviceBuffer<int> partial_{kBlocks};
  DeviceBuffer<unsigned> ticket_{std::vector<unsigned>{0}};
};

TEST_F(TeachingMistakes, AFinalSumWithoutOrderAcrossTheGrid) {
  expect_error(
      observed(final_sum_without_order, kBlocks, in_.data(), partial_.data(), out_.data(), kCount),
      {"global memory race", "kernel final_sum_without_order", line_of("final sum: write"),
       line_of("final sum: read")});
  expect_silent(observed(ticket_with_fence, kBlocks, in_.data(), partial_.data(), ticket_.data(),
                         out_.data(), kCount));
  EXPECT_EQ(out_.to_host()[0], sum());
}

TEST_F(TeachingMistakes, ATicketWithoutAFence) {
  expect_error(observed(ticket_without_fence, kBlocks, in_.data(), partial_.data(), ticket_.data(),
                        out_.data(), kCount),
               {"global memory race", "kernel ticket_without_fence", line_of("no fence: write"),
                line_of("no fence: read")});
  ticket_ = DeviceBuffer<unsigned>(std::vector<unsigned>{0});
  expect_silent(observed(ticket_with_fence, kBlocks, in_.data(), partial_.data(), ticket_.data(),
                         out_.data(), kCount));
  EXPECT_EQ(out_.to_host()[0], sum());
}

TEST_F(TeachingMistakes, ABarrierInABranch) {
  expect_error(observed(barrier_in_branch, kBlocks, in_.data(), partial_.data(), kCount),
               {"divergent barrier", "kernel barrier_in_branch", line_of("in branch: barrier"),
                line_of("in branch: the others")});
  expect_silent(observed(barrier_after_branch, kBlocks, in_.data(), partial_.data(), kCount));
  EXPECT_EQ(sum_of_partials(), sum());
}

TEST_F(TeachingMistakes, NoBarrierBeforeUse) {
  expect_error(observed(no_barrier_before_use, kBlocks, in_.data(), out_.data(), kCount),
               {"shared memory race", "kernel no_barrier_before_use", line_of("before use: write"),
                line_of("before use: read")});
  expect_silent(observed(barrier_before_use, kBlocks, in_.data(), out_.data(), kCount));
  EXPECT_EQ(out_.to_host()[1], in_.to_host()[kSpecimenBlock - 2]);
}

TEST_F(TeachingMistakes, NoBarrierBeforeTheNextTile) {
  expect_error(observed(no_barrier_before_next_tile, 1, in_.data(), out_.data(), kCount),
               {"shared memory race", "kernel no_barrier_before_next_tile",
                line_of("next tile: write"), line_of("next tile: read")});
  expect_silent(observed(barriers_around_tile, 1, in_.data(), out_.data(), kCount));
  EXPECT_EQ(out_.to_host()[0], sum());
}

TEST_F(TeachingMistakes, ATailThatRunsOffTheEnd) {
  expect_error(observed(tail_off_the_end, kBlocks, in_.data(), out_.data()),
               {"global memory out of bounds", "kernel tail_off_the_end", line_of("tail: access")});
  expect_silent(observed(tail_guarded, kBlocks, in_.data(), out_.data(), kCount));
  EXPECT_EQ(out_.to_host().back(), in_.to_host().back() + 1);
}

TEST_F(TeachingMistakes, ALastWarpWithoutSyncwarp) {
  const Observation observation =
      observed(warp_synchronous, kBlocks, in_.data(), partial_.data(), kCount);
  expect_error(observation, {"shared memory race", "kernel warp_synchronous",
                             line_of("warp: eight reads this")});
  expect_error(observation,
               {"shared memory race", "kernel warp_synchronous", line_of("warp: and four this")});
  expect_silent(observed(warp_synchronized, kBlocks, in_.data(), partial_.data(), kCount));
  EXPECT_EQ(sum_of_partials(), sum());
}

}  // namespace
}  // namespace warpgauge::emulator
