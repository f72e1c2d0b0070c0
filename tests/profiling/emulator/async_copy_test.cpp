// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies do what they say, are counted, and must be waited for.
#include <vector>

#include "tests/profiling/emulator/async_copy_kernels.cuh"
#include "tests/profiling/emulator/counting.hpp"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr const char* kCopies = "tests/profiling/emulator/async_copy_kernels.cuh";

std::string copy_line(const std::string& comment) { return find_line(kCopies, comment); }

TEST(AsyncCopies, FillOneStageWhileTheOtherIsRead) {
  const DeviceBuffer<float> in(counting(64 * 5));
  const DeviceBuffer<float> out(64);
  const Observation observation =
      run(sum_in_two_stages, dim3(1), dim3(64), in.data(), out.data(), 5);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[10], 5 * 54 + 64 * 10);
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{10, 40, 40}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{10, 10, 10}));
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{10, 10, 10}));
}

TEST(AsyncCopies, AreALoadAndAStoreOfTheirLine) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  const Observation observation =
      run(sum_in_two_stages, dim3(1), dim3(64), in.data(), out.data(), 1);
  for (const SourceLine& line : observation.lines) {
    if (line.access != Access::global_load && line.access != Access::shared_store) continue;
    EXPECT_EQ(line.file + ":" + std::to_string(line.line), copy_line("stages: first"));
    EXPECT_EQ(line.width_bytes, 4);
    EXPECT_EQ(line.requests, 2U);
  }
}

// 20 whole vectors, one of 12 bytes, 11 of zeros only.
TEST(AsyncCopies, ReadNothingWhereTheyFillWithZeros) {
  const DeviceBuffer<float> in(counting(20 * 4 + 3));
  const DeviceBuffer<float4> out(32);
  const Observation observation =
      run(copy_with_tail, dim3(1), dim3(32), reinterpret_cast<const float4*>(in.data()), out.data(),
          21, 12);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{2, 10 + 1, 10 + 1}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{1, 4, 4}));
  const std::vector<float4> result = out.to_host();
  EXPECT_EQ(result[19].w, 80);
  EXPECT_EQ(result[20].z, 83);
  EXPECT_EQ(result[20].w, 0);
  EXPECT_EQ(result[21].x, 0);
}

TEST(AsyncCopies, BeyondAnAllocationAreErrors) {
  const DeviceBuffer<float> in(counting(20 * 4 + 3));
  const DeviceBuffer<float4> out(32);
  expect_error(run(copy_with_tail, dim3(1), dim3(32), reinterpret_cast<const float4*>(in.data()),
                   out.data(), 21, 16),
               {"global memory out of bounds", "thread (20,0,0)", copy_line("tail: copy")});
}

Observation run_on_words(void (*kernel)(const float*, float*), unsigned threads) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  return run(kernel, dim3(1), dim3(threads), in.data(), out.data());
}

TEST(AsyncCopies, ThatAreReadBeforeAWaitAreErrors) {
  expect_error(run_on_words(read_without_wait, 32),
               {"asynchronous copy not waited for: kernel read_without_wait",
                "thread (0,0,0) reads words byte 0", copy_line("no wait: read"),
                "thread (0,0,0) copies at " + copy_line("no wait: copy")});
  expect_error(run_on_words(wait_for_too_few, 32),
               {"asynchronous copy not waited for", copy_line("too few: read")});
  EXPECT_EQ(run_on_words(wait_for_too_few, 32).errors.size(), 1U);
  expect_error(run_on_words(wait_without_commit, 32),
               {"asynchronous copy not waited for", copy_line("no commit: read")});
}

TEST(AsyncCopies, OfOtherThreadsMustBeWaitedForToo) {
  expect_error(run_on_words(read_after_barrier_only, 64),
               {"asynchronous copy not waited for", "thread (0,0,0) reads words byte 252",
                copy_line("barrier only: read"),
                "thread (63,0,0) copies at " + copy_line("barrier only: copy")});
}

TEST(AsyncCopies, ThatAreOverwrittenBeforeAWaitAreErrors) {
  expect_error(
      run_on_words(overwrite_before_wait, 32),
      {"asynchronous copy not waited for", "writes words byte 0", copy_line("overwrite: write")});
}

TEST(AsyncCopies, OfTheLastBlockArePendingNoMore) {
  const DeviceBuffer<float> in(counting(64));
  const DeviceBuffer<float> out(64);
  const Observation observation =
      run(read_after_barrier_only, dim3(3), dim3(64), in.data(), out.data());
  // One error in the first block that makes the mistake, and none for what it left behind in the
  // next. The blocks all write the same values.
  EXPECT_EQ(observation.errors.size(), 1U) << join(observation.errors);
  expect_in(observation.remarks, {"same value written by several threads"});
}

TEST(AsyncCopies, OfOtherSizesOrMisalignedAreErrors) {
  const DeviceBuffer<char> in(64);
  const DeviceBuffer<char> out(1);
  const auto run_copy = [&](unsigned bytes, unsigned skip) {
    return run(copy_of_any_size, dim3(1), dim3(1), in.data(), out.data(), bytes, skip);
  };
  for (const unsigned bytes : {4U, 8U, 16U}) EXPECT_EQ(join(run_copy(bytes, 16).errors), "");
  for (const unsigned bytes : {0U, 2U, 12U, 32U}) {
    expect_error(run_copy(bytes, 0), {"asynchronous copy of other than 4, 8 or 16 bytes",
                                      "thread (0,0,0)", copy_line("any size: copy")});
  }
  expect_error(run_copy(8, 4),
               {"asynchronous copy that is not aligned to its size", copy_line("any size: copy")});
}

TEST(AsyncCopies, GoToSharedMemory) {
  expect_error(run_on_words(copy_to_global, 32), {"asynchronous copy to memory that is not shared",
                                                  "thread (0,0,0)", copy_line("to global: copy")});
}

}  // namespace
}  // namespace warpgauge::emulator
