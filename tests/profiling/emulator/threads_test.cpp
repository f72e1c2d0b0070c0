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

// Sums of floats depend on their order, and so do the values that atomics return.
TEST(Threads, BlocksThatCommunicateRunInOrder) {
  const DeviceBuffer<int> words(std::vector<int>(7, 0));
  const DeviceBuffer<unsigned long long> wide(std::vector<unsigned long long>{0});
  const DeviceBuffer<float> real(std::vector<float>{0});
  expect_equal_on_any_threads(
      [&] { launch(atomics, dim3(40), dim3(64), words.data(), wide.data(), real.data()); });
}

}  // namespace
}  // namespace warpgauge::emulator
