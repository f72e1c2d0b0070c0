// SPDX-License-Identifier: Apache-2.0
// The number of the host's threads changes nothing that is observed.
#include <vector>

#include "kernels/transpose.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

template <class Launch>
void expect_equal_on_any_threads(Launch&& launch) {
  const Observation one = observe(launch, {.threads = 1});
  EXPECT_FALSE(one.lines.empty());
  for (const unsigned threads : {2U, 3U}) {
    const Observation several = observe(launch, {.threads = threads});
    EXPECT_EQ(several.lines, one.lines);
    EXPECT_EQ(several.barriers, one.barriers);
    EXPECT_EQ(several.errors, one.errors);
  }
}

TEST(Threads, DoNotChangeWhatIsObserved) {
  constexpr std::size_t kRows = 250;
  constexpr std::size_t kColumns = 130;
  const DeviceBuffer<float> in(std::vector<float>(kRows * kColumns, 1));
  const DeviceBuffer<float> out(kRows * kColumns);
  expect_equal_on_any_threads([&] {
    launch(transpose_tiled<0>, dim3(8 * 5), dim3(32, 8), in.data(), out.data(), kRows, kColumns);
  });
}

// What atomics return depends on the order of blocks, and so may all that follows.
TEST(Threads, BlocksThatCommunicateRunInOrder) {
  constexpr unsigned kBlocks = 5000;
  const DeviceBuffer<unsigned> next(std::vector<unsigned>{0});
  const DeviceBuffer<unsigned> order(kBlocks);
  const Observation observation =
      observe([&] { launch(take_tickets, dim3(kBlocks), dim3(32), next.data(), order.data()); },
              {.threads = 4});
  EXPECT_EQ(join(observation.errors), "");
  const std::vector<unsigned> blocks = order.to_host();
  for (unsigned block = 0; block < kBlocks; ++block) ASSERT_EQ(blocks[block], block);
}

}  // namespace
}  // namespace warpgauge::emulator
