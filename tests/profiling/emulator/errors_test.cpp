// SPDX-License-Identifier: Apache-2.0
// Mistakes in kernels are reported with kernel, thread and line, and never end the process.
#include <string>
#include <vector>

#include "tests/profiling/emulator/faulty_kernels.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr const char* kFaults = "tests/profiling/emulator/faulty_kernels.cuh";

std::string fault_line(const std::string& comment) { return find_line(kFaults, comment); }

TEST(ConstantMemory, IsWrittenByTheHostAlone) {
  const DeviceBuffer<int> out(64);
  const Observation written = run(write_constant, dim3(2), dim3(64));
  expect_error(written, {"write to constant memory: kernel write_constant, block (0,0,0), thread "
                         "(0,0,0) writes 4 bytes of a __constant__ variable",
                         fault_line("constant: write")});
  EXPECT_EQ(written.errors.size(), 1U) << join(written.errors);
  expect_error(run(write_constant_of_template, dim3(1), dim3(64), out.data()),
               {"write to constant memory", "updates 4 bytes", fault_line("constant: update")});
  EXPECT_EQ(join(run(read_constant, dim3(1), dim3(64), out.data()).errors), "");
}

TEST(Races, NameBothLines) {
  const DeviceBuffer<float> out(256);
  const Observation observation = run(missing_barrier, dim3(1), dim3(256), out.data());
  expect_error(observation, {"shared memory race", "kernel missing_barrier", "block (0,0,0)",
                             "words byte", fault_line("race: write"), fault_line("race: read")});
}

TEST(Races, WithinAWarpAreFoundWithoutSyncwarpOfAllLanes) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(missing_warp_barrier, dim3(1), dim3(32), out.data());
  expect_error(observation, {"shared memory race", fault_line("warp race: write"),
                             fault_line("warp race: read")});
}

TEST(Races, AreRuledOutByABarrierOfTheLanesInItsMaskOnly) {
  const DeviceBuffer<float> out(1);
  for (const unsigned reader : {8U, 9U, 15U}) {
    const Observation observation =
        run(partial_warp_barrier, dim3(1), dim3(32), out.data(), reader);
    EXPECT_EQ(join(observation.errors), "");
  }
  for (const unsigned reader : {16U, 31U}) {
    expect_error(run(partial_warp_barrier, dim3(1), dim3(32), out.data(), reader),
                 {"shared memory race", fault_line("partial: write"), fault_line("partial: read")});
  }
}

TEST(Races, BetweenReadAndLaterWriteAreFound) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(overwritten_too_early, dim3(1), dim3(64), out.data());
  expect_error(observation,
               {"shared memory race", fault_line("early: read"), fault_line("early: write")});
}

TEST(Races, BytesOfOneWordAreDifferentPlaces) {
  const DeviceBuffer<char> out(64);
  EXPECT_EQ(join(run(neighbouring_bytes, dim3(1), dim3(64), out.data()).errors), "");
  expect_error(run(overlapping_bytes, dim3(1), dim3(64), out.data()),
               {"shared memory race", fault_line("byte race: read")});
}

Observation run_on_values(void (*kernel)(const int*, int*), const std::vector<int>& values) {
  const DeviceBuffer<int> in(values);
  const DeviceBuffer<int> out(values.size());
  return run(kernel, dim3(1), dim3(static_cast<unsigned>(values.size())), in.data(), out.data());
}

TEST(SameValues, OfSeveralThreadsAreARemark) {
  const std::string line = fault_line("one word: write");
  for (const unsigned threads : {2U, 32U, 64U, 1024U}) {
    const Observation observation = run_on_values(write_one_word, std::vector<int>(threads, 7));
    EXPECT_EQ(join(observation.errors), "");
    ASSERT_EQ(observation.remarks.size(), 1U);
    expect_in(observation.remarks,
              {"same value written by several threads: kernel write_one_word, block (0,0,0)",
               "writes word byte 0 at " + line, "as thread (0,0,0) did at " + line});
  }
}

// Whichever thread it is that writes another value, and whoever writes the last one.
TEST(SameValues, ThatAreNotTheSameAreRaces) {
  for (const std::size_t other : {0U, 1U, 31U, 32U, 62U, 63U}) {
    std::vector<int> values(64, 7);
    values[other] = 8;
    const Observation observation = run_on_values(write_one_word, values);
    expect_error(observation, {"shared memory race", fault_line("one word: write")});
  }
  std::vector<int> in_turn(64);
  for (std::size_t i = 0; i < 64; ++i) in_turn[i] = static_cast<int>(i % 2);
  EXPECT_EQ(run_on_values(write_one_word, in_turn).errors.size(), 1U);
}

TEST(SameValues, OfBytesAreComparedByTheByte) {
  std::vector<int> values(64);
  for (std::size_t i = 0; i < 64; ++i) values[i] = 5 + static_cast<int>(i % 2);
  EXPECT_EQ(join(run_on_values(write_one_byte, values).errors), "");
  EXPECT_EQ(run_on_values(write_one_byte, values).remarks.size(), 1U);
  values[40] = 9;
  expect_error(run_on_values(write_one_byte, values),
               {"shared memory race", "bytes byte 0", fault_line("one byte: write")});
}

TEST(SameValues, DoNotExcuseReaders) {
  const DeviceBuffer<int> out(64);
  expect_error(run(write_then_read, dim3(1), dim3(64), out.data(), 0U),
               {"shared memory race", fault_line("same value: read")});
}

TEST(SameValues, OfAtomicsAreNotKnown) {
  const DeviceBuffer<int> out(64);
  const Observation observation = run(write_and_add, dim3(1), dim3(64), out.data());
  expect_error(observation, {"shared memory race", fault_line("exchange: write")});
}

// For any place that the write may have in a full trace, first or last of it.
TEST(SameValues, AreNotGuessedWhereAStoreIsYetToBeDone) {
  const DeviceBuffer<int> in(std::vector<int>(32, 0));
  const DeviceBuffer<int> out(32);
  for (int reads = 4085; reads < 4100; ++reads) {
    const Observation observation =
        run(write_at_end_of_trace, dim3(1), dim3(32), out.data(), in.data(), reads);
    expect_error(observation, {"shared memory race", fault_line("end of trace: write")});
  }
}

TEST(Alignment, OfVectorsIsTheirSize) {
  const DeviceBuffer<float> words(std::vector<float>(256, 1));
  const DeviceBuffer<float> out(32);
  expect_error(run(misaligned_vector, dim3(1), dim3(32), words.data(), out.data()),
               {"misaligned address: kernel misaligned_vector, block (0,0,0), thread (1,0,0) reads "
                "16 bytes at byte 4 of an allocation of 1024 bytes, 4 bytes past",
                fault_line("vector: read")});
  EXPECT_EQ(join(run(misaligned_vector, dim3(1), dim3(1), words.data(), out.data()).errors), "");
}

TEST(Alignment, OfWordsIsTheirSize) {
  const DeviceBuffer<char> bytes(std::vector<char>(256, 1));
  const DeviceBuffer<int> out(32);
  static_cast<void>(observe([&] {
    launch(misaligned_word, dim3(1), dim3(32), bytes.data(), out.data());
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  }));
  expect_error(run(misaligned_word, dim3(1), dim3(32), bytes.data(), out.data()),
               {"misaligned address",
                "thread (1,0,0) reads 4 bytes at byte 5 of an allocation of "
                "256 bytes, 1 bytes past",
                fault_line("word: read")});
}

TEST(Alignment, IsMindedInSharedMemory) {
  const DeviceBuffer<double> out(32);
  expect_error(run(misaligned_shared, dim3(1), dim3(32), out.data(), 1U),
               {"misaligned address", "thread (0,0,0) writes 8 bytes at byte 4 of words",
                fault_line("double: write")});
}

// nvcc reads these by the byte, since it knows no better.
TEST(Alignment, IsNotAskedForWhereTheTypePromisesNone) {
  std::vector<char> content(5 * 32, 0);
  for (std::size_t i = 0; i < 32; ++i) content[5 * i + 1] = static_cast<char>(i);
  const DeviceBuffer<char> in(content);
  const DeviceBuffer<int> out(32);
  EXPECT_EQ(join(run(packed_members, dim3(1), dim3(32), reinterpret_cast<const Packed*>(in.data()),
                     out.data())
                     .errors),
            "");
  EXPECT_EQ(out.to_host()[31], 31);
  const Observation copied = run(copied_members, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(join(copied.errors), "");
  EXPECT_EQ(sum(copied, Access::global_load).requests, 4U);
  EXPECT_EQ(out.to_host()[31], 31);
}

// Device memory as cudaMalloc gives it.
template <class T>
class Unwritten {
 public:
  explicit Unwritten(std::size_t count) {
    EXPECT_EQ(cudaMalloc(&pointer_, count * sizeof(T)), cudaSuccess);
  }
  Unwritten(const Unwritten&) = delete;
  Unwritten& operator=(const Unwritten&) = delete;
  ~Unwritten() { cudaFree(pointer_); }
  [[nodiscard]] T* data() const { return pointer_; }

 private:
  T* pointer_ = nullptr;
};

TEST(UnwrittenDeviceMemory, MustNotBeRead) {
  const Unwritten<int> in(32);
  const DeviceBuffer<int> out(32);
  const auto read = [&] { return run(read_words, dim3(1), dim3(32), in.data(), out.data()); };
  const auto expect_first = [&](const char* thread, const char* byte) {
    const Observation observation = read();
    EXPECT_EQ(observation.errors.size(), 1U);
    expect_error(observation,
                 {"uninitialized device memory: kernel read_words, block (0,0,0)", thread,
                  std::string("reads byte ") + byte + " of an allocation of 128 bytes",
                  fault_line("unwritten: read")});
  };
  expect_first("thread (0,0,0)", "0");
  EXPECT_EQ(cudaMemset(in.data(), 0, 41), cudaSuccess);
  expect_first("thread (10,0,0)", "41");
  const std::vector<int> words(20, 1);
  EXPECT_EQ(cudaMemcpy(in.data() + 10, words.data(), 80, cudaMemcpyHostToDevice), cudaSuccess);
  expect_first("thread (30,0,0)", "120");
  EXPECT_EQ(cudaMemset(in.data() + 30, 0, 8), cudaSuccess);
  EXPECT_EQ(join(read().errors), "");
}

TEST(UnwrittenDeviceMemory, IsWrittenByKernels) {
  for (const unsigned count : {127U, 128U}) {
    const Unwritten<int> in(32);
    const DeviceBuffer<int> out(32);
    EXPECT_EQ(
        join(run(write_bytes, dim3(1), dim3(64), reinterpret_cast<char*>(in.data()), count).errors),
        "");
    const Observation observation = run(read_words, dim3(1), dim3(32), in.data(), out.data());
    if (count == 128) {
      EXPECT_EQ(join(observation.errors), "");
    } else {
      expect_error(observation, {"uninitialized device memory", "thread (31,0,0) reads byte 127"});
    }
  }
}

TEST(UnwrittenDeviceMemory, IsFoundInsideOfVectors) {
  const Unwritten<int4> in(8);
  const DeviceBuffer<int> out(8);
  EXPECT_EQ(cudaMemset(in.data(), 0, 120), cudaSuccess);
  expect_error(run(read_vectors, dim3(1), dim3(8), in.data(), out.data()),
               {"uninitialized device memory", "thread (7,0,0) reads byte 120",
                fault_line("unwritten: vector")});
}

TEST(UnwrittenDeviceMemory, MustNotBeAddedTo) {
  const Unwritten<int> word(1);
  expect_error(run(add_to_word, dim3(1), dim3(32), word.data()),
               {"uninitialized device memory", "updates byte 0", fault_line("unwritten: add")});
}

TEST(UnwrittenDeviceMemory, MayBeExchanged) {
  const Unwritten<int> words(32);
  const DeviceBuffer<int> out(32);
  EXPECT_EQ(join(run(exchange_words, dim3(1), dim3(32), words.data()).errors), "");
  EXPECT_EQ(join(run(read_words, dim3(1), dim3(32), words.data(), out.data()).errors), "");
}

TEST(UnwrittenDeviceMemory, OfARaceIsTheRaceOnAnyNumberOfThreads) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    const Unwritten<int> words(64);
    const Observation observation =
        observe([&] { launch(read_from_neighbour, dim3(64), dim3(1), words.data()); },
                {.threads = threads});
    ASSERT_EQ(observation.errors.size(), 1U) << join(observation.errors);
    expect_error(observation, {"global memory race"});
  }
}

// They may have handed it over; in which order is not known.
TEST(UnwrittenDeviceMemory, IsLeftAloneWhereBlocksTurnOutToCommunicate) {
  const Unwritten<int> in(8);
  const DeviceBuffer<int> out(8);
  const DeviceBuffer<int> count(std::vector<int>{0});
  for (const unsigned threads : {1U, 4U}) {
    const Observation observation = observe(
        [&] { launch(communicate_late, dim3(8), dim3(1), in.data(), out.data(), count.data()); },
        {.threads = threads});
    EXPECT_EQ(join(observation.errors), "");
  }
}

TEST(UnwrittenDeviceMemory, IsHandedOverByBlocksThatWait) {
  for (const unsigned threads : {1U, 4U}) {
    const DeviceBuffer<unsigned> tickets(std::vector<unsigned>{0});
    const DeviceBuffer<int> flags(std::vector<int>(64, 0));
    const Unwritten<int> words(64);
    const Observation observation = observe(
        [&] {
          launch(chain, dim3(64), dim3(64), tickets.data(),
                 static_cast<volatile int*>(flags.data()), words.data());
        },
        {.threads = threads});
    EXPECT_EQ(join(observation.errors), "");
  }
}

TEST(UnwrittenDeviceMemory, IsWrittenBeforeTheWriteIsCounted) {
  const DeviceBuffer<int> flags(std::vector<int>{0, 0});
  const DeviceBuffer<int> out(1);
  const Unwritten<int> word(1);
  const Observation observation =
      run(overtaken, dim3(1), dim3(64), static_cast<volatile int*>(flags.data()), word.data(),
          out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[0], 7);
}

TEST(UnwrittenDeviceMemory, IsNotThatOfTheHost) {
  int* in = nullptr;
  ASSERT_EQ(cudaMallocHost(&in, 128), cudaSuccess);
  const DeviceBuffer<int> out(32);
  EXPECT_EQ(join(run(read_words, dim3(1), dim3(32), in, out.data()).errors), "");
  EXPECT_EQ(cudaFreeHost(in), cudaSuccess);
}

TEST(Barriers, DivergentOnesNameBothLinesAndHowManyWait) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(divergent_barrier, dim3(1), dim3(64), out.data());
  expect_error(observation, {"divergent barrier", "kernel divergent_barrier",
                             "20 threads wait at " + fault_line("divergent: first"),
                             "44 threads wait at " + fault_line("divergent: second")});
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
             "40 threads wait at " + fault_line("exit: barrier"), "24 threads have returned",
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
               {"divergent barrier", "19 threads wait at " + fault_line("divergent rest: first"),
                "44 threads wait at " + fault_line("divergent rest: second"),
                "1 threads have returned, thread (5,0,0)"});
  EXPECT_EQ(join(observation.remarks), "");
}

TEST(WarpOperations, ShuffleWithAbsentLanesIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(absent_lanes, dim3(1), dim3(32), out.data());
  expect_error(observation, {"shuffle with an absent lane", "thread (15,0,0)", "lane 16",
                             fault_line("absent: shuffle")});
}

TEST(WarpOperations, DeadlockNamesWhoWaitsForWhom) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(warp_deadlock, dim3(1), dim3(32), out.data());
  expect_error(observation, {"warp deadlock", "thread (0,0,0)", fault_line("deadlock: waits"),
                             "thread (16,0,0)", fault_line("deadlock: awaited")});
}

TEST(WarpOperations, MaskWithoutTheCallingLaneIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(foreign_mask, dim3(1), dim3(32), out.data());
  expect_error(observation,
               {"lane not in its own mask", "thread (0,0,0)", fault_line("mask: call")});
}

TEST(SharedMemory, UninitializedReadIsAnError) {
  const DeviceBuffer<float> out(64);
  const Observation observation = run(uninitialized, dim3(1), dim3(64), out.data());
  expect_error(observation, {"uninitialized shared memory", "thread (32,0,0)",
                             fault_line("uninitialized: read")});
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
                "byte 128 of words, which has 128", fault_line("shared bounds: write")});
}

TEST(SharedMemory, AccessBeyondWhatTheLaunchAskedForIsAnError) {
  const DeviceBuffer<float> out(32);
  const Observation observation =
      observe([&] { launch_with_shared(dynamic_beyond_end, dim3(1), dim3(32), 124, out.data()); });
  expect_error(observation, {"shared memory out of bounds", "thread (31,0,0)",
                             "byte 124 of dynamic shared memory, which has 124",
                             fault_line("dynamic bounds: write")});
}

TEST(GlobalMemory, AccessBeyondAnAllocationIsAnError) {
  const DeviceBuffer<float> out(64);
  const Observation observation =
      run(global_beyond_end, dim3(1), dim3(32), out.data(), std::size_t{64});
  ASSERT_EQ(observation.errors.size(), 1U);
  expect_error(observation, {"global memory out of bounds", "kernel global_beyond_end",
                             "thread (31,0,0)", "0 bytes beyond the end of an allocation of 256",
                             fault_line("global bounds: write")});
}

TEST(GlobalMemory, UseAfterFreeIsAnError) {
  float* freed = nullptr;
  {
    const DeviceBuffer<float> out(64);
    freed = out.data();
  }
  const Observation observation = run(global_beyond_end, dim3(1), dim3(32), freed, std::size_t{32});
  expect_error(observation, {"use after free: kernel global_beyond_end",
                             "thread (0,0,0) faults at byte 4 of an allocation of 256 bytes that "
                             "has been freed",
                             fault_line("global bounds: write")});
}

TEST(Faults, AreErrorsOfTheLine) {
  const DeviceBuffer<float> out(32);
  expect_error(
      run(wild_pointer, dim3(1), dim3(32), out.data()),
      {"invalid address", "kernel wild_pointer", "thread (1,0,0)", fault_line("wild: write")});
  expect_error(run(null_pointer, dim3(1), dim3(32)),
               {"invalid address", "thread (0,0,0)", fault_line("null: write")});
}

TEST(Faults, StackOverflowIsCalledByItsName) {
  const DeviceBuffer<int> out(32);
  expect_error(run(stack_overflow, dim3(1), dim3(32), out.data()),
               {"stack overflow", "kernel stack_overflow", kFaults});
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
                fault_line("trap: call")});
  EXPECT_EQ(join(run(trap_in_thread, dim3(1), dim3(64), out.data(), 64U).errors), "");
}

TEST(Assertions, AreErrorsOfThreadAndLine) {
  const DeviceBuffer<float> out(64);
  expect_error(run(assertion_in_thread, dim3(1), dim3(64), out.data(), 3U),
               {"assertion `threadIdx.x != thread' failed: kernel assertion_in_thread",
                "thread (3,0,0)", fault_line("assertion: fails")});
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
      {"warp deadlock", "thread (0,0,0) waits in a reduction", fault_line("mixed operations: sum"),
       "thread (4,0,0)", fault_line("mixed operations: maximum")});
}

TEST(Spinning, EndsWithAnError) {
  const DeviceBuffer<int> flag(std::vector<int>{0});
  Options options;
  options.spin_budget = 3'000'000;
  const auto observe_spin = [&](auto kernel) {
    return observe([&] { launch(kernel, dim3(1), dim3(64), flag.data()); }, options);
  };
  expect_error(observe_spin(endless_spin),
               {"no progress", "kernel endless_spin", fault_line("spin: read")});
  expect_error(observe_spin(endless_spin_on_a_register),
               {"no progress", "kernel endless_spin_on_a_register", fault_line("hoisted: loop")});
  expect_error(observe_spin(endless_loop), {"no progress", "kernel endless_loop"});
}

TEST(Spinning, IsNoneWhereAThreadStoresOrReadsOn) {
  const DeviceBuffer<int> words(std::vector<int>(64, 1));
  const DeviceBuffer<int> sum(64);
  Options options;
  options.spin_budget = 300'000;
  const auto expect_no_error = [&](const std::function<void()>& launch_it) {
    EXPECT_EQ(join(observe(launch_it, options).errors), "");
  };
  expect_no_error([&] { launch(long_stores, dim3(1), dim3(64), sum.data(), 1000); });
  expect_no_error([&] { launch(long_waits, dim3(1), dim3(32), sum.data(), 10); });
  expect_no_error([&] { launch(long_exchanges, dim3(1), dim3(32), sum.data(), 3); });
  expect_no_error([&] { launch(long_loads, dim3(1), dim3(64), words.data(), sum.data(), 10'000); });
}

// With a clock that went on by one at each look these would be the test's last words.
TEST(Spinning, OnTheClockEndsSoon) {
  DeviceBuffer<long long> waited(64);
  Options options;
  options.spin_budget = 3'000'000;
  const Observation observed = observe(
      [&] { launch(wait_for_clock, dim3(2), dim3(64), waited.data(), 2'000'000'000LL); }, options);
  EXPECT_EQ(join(observed.errors), "");
  for (const long long ticks : waited.to_host()) EXPECT_GE(ticks, 2'000'000'000LL);
}

TEST(Clock, RunsEvenlyForThoseWhoMeasure) {
  const DeviceBuffer<long long> word(std::vector<long long>{1});
  DeviceBuffer<long long> took(2);
  run(time_a_load, dim3(1), dim3(1), word.data(), took.data());
  EXPECT_EQ(took.to_host(), (std::vector<long long>{1, 1}));
}

TEST(Clock, RunsEvenlyForThoseWhoMeasureBarriers) {
  DeviceBuffer<long long> longest(64);
  run(time_barriers, dim3(1), dim3(64), longest.data());
  for (const long long ticks : longest.to_host()) EXPECT_LE(ticks, 2 * 64);
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
