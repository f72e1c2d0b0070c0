// SPDX-License-Identifier: Apache-2.0
// An alarm is told where a GPU's result can depend on the mistake, a remark where it cannot, and
// nothing about the harmless twin.
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/profiling/emulator/alarm_kernels.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr const char* kAlarms = "tests/profiling/emulator/alarm_kernels.cuh";

std::string alarm_line(const std::string& comment) { return find_line(kAlarms, comment); }

void expect_silent(const Observation& observation) {
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(join(observation.remarks), "");
}

void expect_remark(const Observation& observation, const std::vector<std::string>& parts) {
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.remarks.size(), 1U) << join(observation.remarks);
  expect_in(observation.remarks, parts);
}

template <class T>
Observation tell(unsigned blocks, const std::vector<int>& values, unsigned threads = 0) {
  const DeviceBuffer<int> in(values);
  const DeviceBuffer<T> told(std::vector<T>(16, T{0}));
  const auto block = static_cast<unsigned>(values.size()) / blocks;
  return observe([&] { launch(tell_all<T>, dim3(blocks), dim3(block), in.data(), told.data()); },
                 {.threads = threads});
}

template <class T>
void expect_same_values_told(int other) {
  for (const unsigned blocks : {1U, 2U, 64U}) {
    for (const unsigned threads : {1U, 4U}) {
      std::vector<int> values(64, 1);
      expect_in(tell<T>(blocks, values, threads).remarks,
                {"same value written by several threads: kernel tell_all",
                 "writes byte 0 of an allocation", alarm_line("told: write")});
      EXPECT_EQ(join(tell<T>(blocks, values, threads).errors), "");
      for (const std::size_t which : {0U, 1U, 37U, 63U}) {
        values.assign(64, 1);
        values[which] = other;
        const Observation observation = tell<T>(blocks, values, threads);
        expect_error(observation, {"global memory race", alarm_line("told: write")});
        EXPECT_EQ(join(observation.remarks), "");
      }
    }
  }
}

TEST(SameValuesInGlobalMemory, AreARemarkAndOthersARace) {
  expect_same_values_told<int>(2);
  expect_same_values_told<float>(-1);
  expect_same_values_told<double>(3);
  expect_same_values_told<unsigned char>(0);
  expect_same_values_told<short>(-1);
}

// Another block stores to the same place before the emulator can look at what the first one stored.
TEST(SameValuesInGlobalMemory, AreKnownWhileOthersOverwriteThem) {
  constexpr unsigned kBlocks = 500;
  const DeviceBuffer<int> told(1);
  const DeviceBuffer<double> busy(std::vector<double>(kBlocks, 1));
  for (unsigned odd = 50; odd < kBlocks; odd += 50) {
    std::vector<int> values(kBlocks, 1);
    values[odd] = 2;
    const DeviceBuffer<int> in(values);
    const Observation observation = observe(
        [&] { launch(tell_slowly, dim3(kBlocks), dim3(1), in.data(), told.data(), busy.data()); },
        {.threads = 4});
    expect_error(observation, {"global memory race", alarm_line("told slowly: write")});
    EXPECT_EQ(join(observation.remarks), "");
  }
}

TEST(SameValuesInGlobalMemory, AreKnownHoweverLongTheThreadsRun) {
  const DeviceBuffer<int> told(20'064);
  for (const auto kernel : {tell_often<false>, tell_often<true>}) {
    expect_remark(run(kernel, dim3(1), dim3(64), told.data(), 20'000),
                  {"same value written by several threads: kernel tell_often"});
  }
}

TEST(SameValuesInGlobalMemory, DoNotExcuseWhoReadsThem) {
  for (const unsigned blocks : {1U, 4U}) {
    for (unsigned block = 0; block < blocks; ++block) {
      const DeviceBuffer<int> told(std::vector<int>{0});
      const DeviceBuffer<int> out(1);
      const Observation observation =
          run(tell_and_look, dim3(blocks), dim3(4), told.data(), out.data(), block);
      expect_error(observation, {"global memory race", alarm_line("looked: write")});
    }
  }
}

TEST(RacesWithinABlock, AreLookedForInGlobalMemory) {
  const DeviceBuffer<int> words(std::vector<int>(128, 1));
  expect_error(run(read_before_write, dim3(1), dim3(128), words.data()),
               {"global memory race: kernel read_before_write, block (0,0,0), thread",
                "of an allocation of 512 bytes", "of the block at", "with no barrier between",
                alarm_line("exchange: read"), alarm_line("exchange: write")});
  expect_silent(run(read_barrier_write, dim3(1), dim3(128), words.data()));
}

TEST(RacesWithinABlock, AreFoundInEveryBlock) {
  const DeviceBuffer<int> scratch(std::vector<int>(256, 1));
  const DeviceBuffer<int> out(256);
  for (const unsigned threads : {1U, 4U}) {
    const Options options{.threads = threads};
    const auto observed = [&](auto kernel) {
      return observe([&] { launch(kernel, dim3(4), dim3(64), scratch.data(), out.data()); },
                     options);
    };
    expect_error(observed(scratch_without_barrier),
                 {"global memory race", alarm_line("scratch: write"), alarm_line("scratch: read")});
    expect_silent(observed(scratch_with_syncwarp));
  }
  expect_error(run(scratch_across_warps, dim3(1), dim3(64), scratch.data(), out.data()),
               {"global memory race"});
}

TEST(RacesWithinABlock, AreAboutBytes) {
  const DeviceBuffer<unsigned char> bytes(std::vector<unsigned char>(128, 1));
  expect_silent(run(neighbouring_global_bytes, dim3(1), dim3(128), bytes.data()));
  expect_error(run(overlapping_global_bytes, dim3(1), dim3(64), bytes.data(),
                   reinterpret_cast<int*>(bytes.data())),
               {"global memory race", alarm_line("bytes: write"), alarm_line("bytes: words")});
}

TEST(RacesWithinABlock, AreNotMadeByAtomicsAlone) {
  const DeviceBuffer<int> count(std::vector<int>{0});
  const DeviceBuffer<int> out(64);
  expect_silent(run(count_atomically, dim3(1), dim3(64), count.data()));
  expect_error(run(count_and_look, dim3(1), dim3(64), count.data(), out.data()),
               {"global memory race", alarm_line("count: add"), alarm_line("count: read")});
}

TEST(RacesWithinABlock, AreRuledOutByAFenceAndAFlag) {
  for (const bool fence : {true, false}) {
    const DeviceBuffer<int> flag(std::vector<int>{0});
    const DeviceBuffer<int> word(std::vector<int>{0});
    const DeviceBuffer<int> out(1);
    const Observation observation =
        run(hand_over_word, dim3(1), dim3(64), static_cast<volatile int*>(flag.data()), word.data(),
            out.data(), fence);
    EXPECT_EQ(out.to_host()[0], 5);
    if (fence) {
      expect_silent(observation);
    } else {
      expect_error(observation,
                   {"global memory race", alarm_line("flag: write"), alarm_line("flag: read")});
    }
  }
}

TEST(TheLastBlock, NeedsItsFence) {
  for (const bool fence : {true, false}) {
    const DeviceBuffer<int> partial(std::vector<int>(6, 0));
    const DeviceBuffer<unsigned> ticket(std::vector<unsigned>{0});
    const DeviceBuffer<int> sum(std::vector<int>{0});
    const Observation observation =
        run(last_block_adds, dim3(6), dim3(64), partial.data(), ticket.data(), sum.data(), fence);
    EXPECT_EQ(sum.to_host()[0], 15);
    if (fence) {
      EXPECT_EQ(join(observation.errors), "");
    } else {
      expect_error(observation,
                   {"global memory race", alarm_line("last: write"), alarm_line("last: read")});
    }
  }
}

TEST(RacesBetweenBlocks, AreFoundWhereOnlyLaterBlocksUseAtomics) {
  for (const unsigned threads : {1U, 4U}) {
    const DeviceBuffer<int> places(std::vector<int>(2, 0));
    const DeviceBuffer<int> out(std::vector<int>(2, 0));
    const auto told = [&](int looked_at) {
      return observe(
          [&] {
            launch(later_blocks_update, dim3(6), dim3(32), places.data() + looked_at, places.data(),
                   out.data());
          },
          {.threads = threads});
    };
    expect_error(told(0),
                 {"global memory race", alarm_line("look: read"), alarm_line("look: update")});
    expect_silent(told(1));
  }
}

TEST(RacesBetweenBlocks, AreMadeByAtomicsOfTheScopeOfABlock) {
  const DeviceBuffer<int> words(std::vector<int>(2, 0));
  int* const lock = words.data();
  int* const count = words.data() + 1;
  expect_error(run(count_blocks<false>, dim3(3), dim3(64), count),
               {"global memory race", alarm_line("scope: update")});
  expect_silent(run(count_blocks<true>, dim3(3), dim3(64), count));
  expect_silent(run(count_blocks<false>, dim3(1), dim3(64), count));
  const Observation turns = run(take_turns<false>, dim3(3), dim3(1), lock, count);
  expect_error(turns, {"global memory race", alarm_line("scope: lock")});
  expect_error(turns, {"global memory race", alarm_line("scope: critical")});
  expect_silent(run(take_turns<true>, dim3(3), dim3(1), lock, count));
  EXPECT_EQ(words.to_host()[1], 3 * 64 + 3 * 64 + 64 + 3 + 3);
}

TEST(UnwrittenMemory, ThatIsReadAndNotUsedIsARemark) {
  const DeviceBuffer<int> in(std::vector<int>(64, 1));
  const DeviceBuffer<int> out(64);
  const auto observed = [&](auto kernel) {
    return run(kernel, dim3(1), dim3(64), in.data(), out.data());
  };
  const Observation guarded = observed(halo_before_guard);
  EXPECT_EQ(join(guarded.errors), "");
  EXPECT_EQ(guarded.remarks.size(), 2U) << join(guarded.remarks);
  expect_in(guarded.remarks, {"uninitialized shared memory", "thread (0,0,0) reads words byte 0",
                              alarm_line("halo: read"), "afterwards writes nothing"});
  expect_error(observed(halo_without_guard),
               {"uninitialized shared memory", "thread (0,0,0)", alarm_line("no guard: read")});
  expect_error(observed(halo_to_neighbour),
               {"uninitialized shared memory", "thread (0,0,0)", alarm_line("shuffled: read")});
}

TEST(UnwrittenMemory, OfTheDeviceThatIsNotUsedIsARemark) {
  int* in = nullptr;
  ASSERT_EQ(cudaMalloc(&in, 64 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemset(in, 0, 40 * sizeof(int)), cudaSuccess);
  const DeviceBuffer<int> out(64);
  const auto observed = [&](unsigned n) {
    return run(unwritten_before_guard, dim3(1), dim3(64), static_cast<const int*>(in), out.data(),
               n);
  };
  expect_remark(observed(40), {"uninitialized device memory", "thread (40,0,0)", "reads byte 160",
                               alarm_line("unwritten guard: read"), "afterwards writes nothing"});
  expect_error(observed(41), {"uninitialized device memory", "thread (40,0,0)", "reads byte 160",
                              alarm_line("unwritten guard: read")});
  EXPECT_EQ(join(observed(41).remarks), "");
  EXPECT_EQ(cudaFree(in), cudaSuccess);
}

TEST(Severity, IsWhatTheUserSays) {
  const std::vector<int> values(64, 1);
  const DeviceBuffer<int> in(values);
  const DeviceBuffer<int> told(std::vector<int>{0});
  const DeviceBuffer<int> words(std::vector<int>(128, 1));
  const auto observed = [&](const std::string& severities) {
    return observe(
        [&] {
          launch(tell_all<int>, dim3(2), dim3(32), in.data(), told.data());
          launch(read_before_write, dim3(1), dim3(128), words.data());
        },
        {.severities = severities});
  };
  EXPECT_EQ(observed("").errors.size(), 1U);
  EXPECT_EQ(observed("same-value=error").errors.size(), 2U);
  EXPECT_EQ(observed("race=remark").errors.size(), 0U);
  EXPECT_EQ(observed("race=remark,same-value=error").errors.size(), 1U);
  for (const char* wrong : {"race", "race=", "race=warning", "rice=error", "fault=remark", ","}) {
    EXPECT_THROW((void)observed(wrong), std::invalid_argument) << wrong;
  }
}

TEST(OneCause, IsToldOnce) {
  const DeviceBuffer<int> words(std::vector<int>(128, 1));
  const Observation observation = observe([&] {
    for (int turn = 0; turn < 40; ++turn)
      launch(read_before_write, dim3(1), dim3(128), words.data());
  });
  EXPECT_EQ(observation.errors.size(), 1U) << join(observation.errors);
}

TEST(AfterAnError, OtherBlocksAndTheProgramGoOnIfAsked) {
  for (const bool goes_on : {false, true}) {
    const DeviceBuffer<int> out(std::vector<int>(16, 0));
    cudaError_t result = cudaSuccess;
    const Observation observation = observe(
        [&] {
          launch(every_fourth_block_traps, dim3(16), dim3(1), out.data());
          result = cudaDeviceSynchronize();
        },
        {.threads = 1, .continue_after_errors = goes_on});
    expect_error(observation, {"__trap() called", "block (1,0,0)", alarm_line("fourth: trap")});
    EXPECT_EQ(observation.errors.size(), 1U) << join(observation.errors);
    EXPECT_EQ(result, goes_on ? cudaSuccess : cudaErrorLaunchFailure);
    const std::vector<int> expected_on{1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1};
    const std::vector<int> expected_off{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(out.to_host(), goes_on ? expected_on : expected_off);
  }
}

TEST(Causes, OfADivisionByZeroAreCalledByName) {
  std::vector<int> by(32, 5);
  by[7] = 0;
  const DeviceBuffer<int> in(by);
  const DeviceBuffer<int> out(32);
  expect_error(
      run(divide, dim3(1), dim3(32), in.data(), out.data()),
      {"integer division by zero", "kernel divide", "thread (7,0,0)", alarm_line("division: by")});
}

TEST(Causes, OfABadSharedAddressAreCalledByName) {
  const DeviceBuffer<int> out(64);
  for (const int index : {-70'000, 100'000}) {
    expect_error(run(far_shared, dim3(1), dim3(64), out.data(), index),
                 {"shared memory out of bounds", "kernel far_shared", "thread (3,0,0)",
                  alarm_line("far: read")});
  }
  // Where lanes before it do reach shared memory, so far away that it might be anything else.
  for (const int index : {70'000'000, -400'000'000}) {
    expect_error(run(far_shared_of_one, dim3(1), dim3(64), out.data(), index),
                 {"shared memory out of bounds", "kernel far_shared_of_one", "thread (3,0,0)",
                  alarm_line("far of one: read")});
  }
}

TEST(Alignment, OfWhatIsStoredAtOnceIsToldAsAWrite) {
  const DeviceBuffer<float> out(32);
  expect_error(run(store_vector, dim3(1), dim3(1), out.data()),
               {"misaligned address", "writes 16 bytes at byte 8 of an allocation of 128 bytes",
                alarm_line("vector: write")});
}

TEST(Alignment, OfVectorsIsTheirSizeBesideStructsOfDoubles) {
  const DeviceBuffer<float> words(std::vector<float>(256, 1));
  const DeviceBuffer<TwoDoubles> pairs(32);
  const DeviceBuffer<float> out(32);
  expect_error(run(vector_by_words, dim3(1), dim3(32), words.data(), pairs.data(), out.data()),
               {"misaligned address", "reads 16 bytes at byte 8 of an allocation of 1024 bytes",
                alarm_line("by words: read")});
}

}  // namespace
}  // namespace warpgauge::emulator
