// SPDX-License-Identifier: Apache-2.0
// Mistakes in kernels are told with kernel, thread and line, and never end the process.
#include <string>

#include "tests/profiling/emulator/faulty_kernels.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr const char* kFile = "tests/profiling/emulator/faulty_kernels.cuh";

std::string line_of(const std::string& comment) { return find_line(kFile, comment); }

TEST(Races, NameBothLines) {
  const DeviceBuffer<float> out(256);
  const Observation observation = run(missing_barrier, dim3(1), dim3(256), out.data());
  expect_error(observation, {"shared memory race", "kernel missing_barrier", "block (0,0,0)",
                             "words byte", line_of("race: write"), line_of("race: read")});
}

TEST(Races, WithinAWarpAreFoundWithoutSyncwarpOfAllLanes) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(missing_warp_barrier, dim3(1), dim3(32), out.data());
  expect_error(observation,
               {"shared memory race", line_of("warp race: write"), line_of("warp race: read")});
}

TEST(Races, BetweenReadAndLaterWriteAreFound) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(overwritten_too_early, dim3(1), dim3(64), out.data());
  expect_error(observation,
               {"shared memory race", line_of("early: read"), line_of("early: write")});
}

TEST(Races, BytesOfOneWordAreDifferentPlaces) {
  const DeviceBuffer<char> out(64);
  EXPECT_EQ(join(run(neighbouring_bytes, dim3(1), dim3(64), out.data()).errors), "");
  expect_error(run(overlapping_bytes, dim3(1), dim3(64), out.data()),
               {"shared memory race", line_of("byte race: read")});
}

TEST(Barriers, DivergentOnesNameBothLinesAndHowManyWait) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(divergent_barrier, dim3(1), dim3(64), out.data());
  expect_error(observation, {"divergent barrier", "kernel divergent_barrier",
                             "20 threads wait at " + line_of("divergent: first"),
                             "44 threads wait at " + line_of("divergent: second")});
}

TEST(Barriers, AreLeftByThreadsThatReturnWhichIsRemarkedOnce) {
  const DeviceBuffer<float> out(3 * 64);
  const Observation observation = observe([&] {
    launch(exit_before_barrier, dim3(3), dim3(64), out.data());
    launch(exit_before_barrier, dim3(3), dim3(64), out.data());
  });
  EXPECT_EQ(join(observation.errors), "");
  ASSERT_EQ(observation.remarks.size(), 1U) << join(observation.remarks);
  expect_in(observation.remarks,
            {"exit before a barrier: kernel exit_before_barrier, block (0,0,0)",
             "40 threads wait at " + line_of("exit: barrier"), "24 threads have returned",
             "thread (40,0,0)"});
  EXPECT_EQ(observation.barriers, 6U);
  EXPECT_EQ(out.to_host()[39], 1);
}

TEST(Barriers, CountTheVotesOfThreadsThatAreLeft) {
  const DeviceBuffer<int> out(64);
  const Observation observation = run(votes_of_the_rest, dim3(1), dim3(64), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.remarks.size(), 3U) << join(observation.remarks);
  EXPECT_EQ(observation.barriers, 9U);
  EXPECT_EQ(out.to_host()[24], 20 + 100);
  EXPECT_EQ(out.to_host()[63], 20 + 100);
}

TEST(Barriers, ThatTheRestReachesAtDifferentPlacesAreErrors) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(divergent_barrier_of_the_rest, dim3(1), dim3(64), out.data());
  expect_error(observation,
               {"divergent barrier", "19 threads wait at " + line_of("divergent rest: first"),
                "44 threads wait at " + line_of("divergent rest: second"),
                "1 threads have returned, thread (5,0,0)"});
  EXPECT_EQ(join(observation.remarks), "");
}

TEST(WarpOperations, ShuffleWithAbsentLanesIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(absent_lanes, dim3(1), dim3(32), out.data());
  expect_error(observation, {"shuffle with an absent lane", "thread (15,0,0)", "lane 16",
                             line_of("absent: shuffle")});
}

TEST(WarpOperations, DeadlockNamesWhoWaitsForWhom) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(warp_deadlock, dim3(1), dim3(32), out.data());
  expect_error(observation, {"warp deadlock", "thread (0,0,0)", line_of("deadlock: waits"),
                             "thread (16,0,0)", line_of("deadlock: awaited")});
}

TEST(WarpOperations, MaskWithoutTheCallingLaneIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(foreign_mask, dim3(1), dim3(32), out.data());
  expect_error(observation, {"lane not in its own mask", "thread (0,0,0)", line_of("mask: call")});
}

TEST(SharedMemory, UninitializedReadIsAnError) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(uninitialized, dim3(1), dim3(64), out.data());
  expect_error(observation,
               {"uninitialized shared memory", "thread (32,0,0)", line_of("uninitialized: read")});
}

TEST(SharedMemory, EveryBlockBeginsUninitialized) {
  const DeviceBuffer<float> out(64);
  const Observation twice = observe([&] {
    launch(missing_barrier, dim3(1), dim3(32), out.data());
    launch(uninitialized, dim3(2), dim3(64), out.data());
  });
  expect_error(twice, {"uninitialized shared memory", "kernel uninitialized"});
}

TEST(SharedMemory, AccessBeyondAnArrayIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(shared_beyond_end, dim3(1), dim3(32), out.data());
  expect_error(observation,
               {"shared memory out of bounds", "kernel shared_beyond_end", "thread (31,0,0)",
                "byte 128 of words, which has 128", line_of("shared bounds: write")});
}

TEST(SharedMemory, AccessBeyondWhatTheLaunchAskedForIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation =
      observe([&] { launch_with_shared(dynamic_beyond_end, dim3(1), dim3(32), 124, out.data()); });
  expect_error(observation, {"shared memory out of bounds", "thread (31,0,0)",
                             "byte 124 of dynamic shared memory, which has 124",
                             line_of("dynamic bounds: write")});
}

TEST(GlobalMemory, AccessBeyondAnAllocationIsAnError) {
  const DeviceBuffer<float> out(64);
  const Observation observation =
      run(global_beyond_end, dim3(1), dim3(32), out.data(), std::size_t{64});
  ASSERT_EQ(observation.errors.size(), 1U);
  expect_error(observation,
               {"global memory out of bounds", "kernel global_beyond_end", "thread (31,0,0)",
                "0 bytes beyond the end of an allocation of 256", line_of("global bounds: write")});
}

TEST(GlobalMemory, UseAfterFreeIsAnError) {
  float* freed = nullptr;
  {
    const DeviceBuffer<float> out(64);
    freed = out.data();
  }
  const Observation observation = run(global_beyond_end, dim3(1), dim3(32), freed, std::size_t{32});
  expect_error(observation, {"kernel global_beyond_end", line_of("global bounds: write")});
}

TEST(Faults, AreErrorsOfTheLine) {
  const DeviceBuffer<float> out(32);
  expect_error(
      run(wild_pointer, dim3(1), dim3(32), out.data()),
      {"invalid address", "kernel wild_pointer", "thread (1,0,0)", line_of("wild: write")});
  expect_error(run(null_pointer, dim3(1), dim3(32)),
               {"invalid address", "thread (0,0,0)", line_of("null: write")});
}

TEST(Faults, StackOverflowIsCalledByItsName) {
  const DeviceBuffer<int> out(32);
  expect_error(run(stack_overflow, dim3(1), dim3(32), out.data()),
               {"stack overflow", "kernel stack_overflow", kFile});
}

TEST(Faults, LeaveTheEmulatorFitForTheNextLaunch) {
  const DeviceBuffer<float> out(256);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(wild_pointer, dim3(4), dim3(32), out.data()).errors.size(), 1U);
    EXPECT_EQ(join(run(exit_before_barrier, dim3(1), dim3(32), out.data()).errors), "");
  }
}

TEST(Traps, AreErrorsOfThreadAndLine) {
  const DeviceBuffer<float> out(64);
  expect_error(run(trap_in_thread, dim3(2), dim3(64), out.data(), 37U),
               {"__trap() called: kernel trap_in_thread, block (0,0,0), thread (37,0,0)",
                line_of("trap: call")});
  EXPECT_EQ(join(run(trap_in_thread, dim3(1), dim3(64), out.data(), 64U).errors), "");
}

TEST(Assertions, AreErrorsOfThreadAndLine) {
  const DeviceBuffer<float> out(64);
  expect_error(run(assertion_in_thread, dim3(1), dim3(64), out.data(), 3U),
               {"assertion `threadIdx.x != thread' failed: kernel assertion_in_thread",
                "thread (3,0,0)", line_of("assertion: fails")});
  EXPECT_EQ(join(run(assertion_in_thread, dim3(1), dim3(64), out.data(), 64U).errors), "");
}

TEST(Assertions, OfTheHostEndTheProcess) {
  const auto fail = [] { assert(1 + 1 == 3); };
  EXPECT_DEATH(fail(), "Assertion `1 . 1 == 3' failed");
}

TEST(WarpOperations, DifferentOnesDoNotMeet) {
  const DeviceBuffer<int> out(32);
  expect_error(
      run(mixed_warp_operations, dim3(1), dim3(32), out.data()),
      {"warp deadlock", "thread (0,0,0) waits in a reduction", line_of("mixed operations: sum"),
       "thread (4,0,0)", line_of("mixed operations: maximum")});
}

TEST(Spinning, EndsWithAnError) {
  const DeviceBuffer<int> flag(std::vector<int>{0});
  Options options;
  options.spin_budget = 3'000'000;
  const auto observe_spin = [&](auto kernel) {
    return observe([&] { launch(kernel, dim3(1), dim3(64), flag.data()); }, options);
  };
  expect_error(observe_spin(endless_spin),
               {"no progress", "kernel endless_spin", line_of("spin: read")});
  expect_error(observe_spin(endless_loop), {"no progress", "kernel endless_loop"});
}

TEST(Errors, OfTheFirstBlockAreTheSameOnAnyNumberOfThreads) {
  const DeviceBuffer<float> out(64);
  for (const unsigned threads : {1U, 2U, 4U}) {
    Options options;
    options.threads = threads;
    const Observation observation =
        observe([&] { launch(fault_in_block, dim3(64), dim3(32), out.data(), 5U, 64U); }, options);
    ASSERT_EQ(observation.errors.size(), 1U);
    EXPECT_NE(observation.errors[0].find("block (5,0,0)"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpgauge::emulator
