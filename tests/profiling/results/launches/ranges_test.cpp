// SPDX-License-Identifier: Apache-2.0
// Which range a launch belongs to, however ranges are nested, closed and forgotten.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/profiling/results/launches/records_folder.hpp"

namespace warpgauge::launches {
namespace {

using Launches = RecordsFolder;

TEST_F(Launches, OfAThreadWithoutRangesBelongToTheOnlyThreadThatHasThem) {
  Ranges ranges;
  ranges.push("", "backward");
  const std::uint32_t mine = ranges.current();
  std::uint32_t of_other = 0;
  std::thread([&] { of_other = ranges.current(); }).join();
  EXPECT_EQ(of_other, mine);
  std::thread([&] {
    ranges.push("", "its own");
    std::thread([&] { of_other = ranges.current(); }).join();
    EXPECT_NE(ranges.current(), mine);
    EXPECT_EQ(ranges.instance(ranges.current()).parent, 0U);
    ranges.pop("");
  }).join();
  EXPECT_EQ(of_other, 0U) << "of two threads that have ranges, neither is meant";
  ranges.pop("");
  std::thread([&] { of_other = ranges.current(); }).join();
  EXPECT_EQ(of_other, 0U);
}

TEST_F(Launches, KnowRangesThatAreClosedInAnotherOrder) {
  Ranges ranges;
  const std::uint64_t outer = ranges.start("", "outer");
  EXPECT_EQ(ranges.push("", "pushed"), 0);
  const std::uint64_t inner = ranges.start("", "inner");
  EXPECT_EQ(ranges.current(), inner);
  ranges.end(outer);
  EXPECT_EQ(ranges.current(), inner);
  ranges.end(inner);
  EXPECT_EQ(ranges.push("other", "of a domain"), 0);
  EXPECT_EQ(ranges.pop(""), 0);
  EXPECT_NE(ranges.current(), 0U);
  EXPECT_EQ(ranges.pop("other"), 0);
  EXPECT_EQ(ranges.current(), 0U);
  EXPECT_EQ(ranges.pop(""), -1);
}

// As JAX's XLA opens them around each kernel.
TEST_F(Launches, OfXlaAreInOneRangeWhichIsNamedByWhatWasCompiled) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  for (const char* id : {"7", "8"}) {
    ranges.push("", "step");
    EXPECT_EQ(ranges.push("TSL", "XlaModule:#prefix=jit(f)/jit(main),hlo_module=jit_f,program_id=" +
                                     std::string(id) + "#"),
              0);
    for (const char* operation : {"fusion.1", "dot.2"}) {
      EXPECT_EQ(ranges.push("TSL", "Thunk:#hlo_op=" + std::string(operation) + "#"), 1);
      EXPECT_EQ(ranges.push("TSL", operation), 2);
      aggregation.add(some(operation, 1, 100, ranges.current()));
      EXPECT_EQ(ranges.pop("TSL"), 2);
      EXPECT_EQ(ranges.pop("TSL"), 1);
    }
    ranges.push("TSL", "Thunk:#hlo_op=all-reduce#");
    ranges.push("NCCL", "ncclAllReduce");
    aggregation.add(some("ncclDevKernel", 1, 100, ranges.current()));
    ranges.pop("NCCL");
    ranges.pop("TSL");
    EXPECT_EQ(ranges.pop("TSL"), 0);
    EXPECT_EQ(ranges.pop("TSL"), -1);
    ranges.pop("");
  }
  EXPECT_EQ(ranges.current(), 0U);
  aggregation.finish();
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.ranges.size(), 4U) << "the program, step, the module and NCCL's";
  const RecordedRange& module = range(records, "step/TSL:jit_f");
  EXPECT_EQ(module.total.instances, 2U);
  EXPECT_EQ(module.total.launches, 6U);
  ASSERT_EQ(module.instances.size(), 2U);
  EXPECT_EQ(module.instances[0].launches, 3U) << "of one time that it ran";
  EXPECT_EQ(range(records, "step/TSL:jit_f/NCCL:ncclAllReduce").total.launches, 2U);
  EXPECT_EQ(records.entries.size(), 3U);
}

TEST_F(Launches, ThatXlaTriesOutWhileItCompilesKeepTheirRange) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  ranges.push("TSL", "XlaModule:#hlo_module=jit_f,program_id=1#");
  ranges.push("TSL", "XlaAutotunerMeasurement:#x#");
  aggregation.add(some("candidate", 1, 100, ranges.current()));
  ranges.pop("TSL");
  ranges.pop("TSL");
  aggregation.finish();
  EXPECT_EQ(range(only_records(), "TSL:jit_f/TSL:XlaAutotunerMeasurement:#x#").total.launches, 1U);
}

TEST_F(Launches, OfTooManyRangesCountWithTheRangeAround) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  ranges.push("", "all");
  for (std::size_t i = 0; i < kMostRanges + 10; ++i) {
    ranges.push("", "step " + std::to_string(i));
    aggregation.add(some("kernel", 1, 100, ranges.current()));
    ranges.pop("");
  }
  aggregation.finish();
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.ranges.size(), kMostRanges + 1);  // and the whole program
  EXPECT_EQ(records.header.counts.folded_ranges, 11U);
  EXPECT_EQ(range(records, "all").total.launches, kMostRanges + 10);
}

// More often than instances are remembered.
constexpr int kManyTimes = 300'000;

TEST_F(Launches, KnowARangeThatIsOpenHoweverManyWereOpenedWithinIt) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  ranges.push("", "training");
  const std::uint32_t training = ranges.current();
  for (int i = 0; i < kManyTimes; ++i) {
    ranges.push("", "step");
    ranges.pop("");
  }
  EXPECT_EQ(ranges.current(), training);
  aggregation.add(some("kernel", 2, 100, ranges.current()));
  ranges.push("", "step");
  aggregation.add(some("kernel", 3, 100, ranges.current()));
  ranges.pop("");
  EXPECT_EQ(ranges.instance(training).range, 1U);
  ranges.pop("");
  EXPECT_EQ(ranges.current(), 0U);
  EXPECT_EQ(ranges.instance(training).range, 1U) << "its kernels may still come";
  aggregation.finish();
  const ProcessRecords records = only_records();
  EXPECT_EQ(range(records, "training").total.launches, 5U);
  EXPECT_EQ(range(records, "training").total.instances, 1U);
  EXPECT_EQ(range(records, "training/step").total.launches, 3U);
}

TEST_F(Launches, OfRangesThatAreNeverEndedAreTakenAsDeepAsTheyAreToldApart) {
  Ranges ranges;
  for (int i = 0; i < kManyTimes; ++i) (void)ranges.start("", "leaked");
  const std::uint32_t deepest = ranges.current();
  EXPECT_NE(deepest, 0U);
  ranges.push("", "inner");
  EXPECT_EQ(ranges.current(), deepest) << "it is too deep to count for itself";
  ranges.pop("");
  EXPECT_EQ(ranges.current(), deepest);
}

TEST_F(Launches, BelongToNoRangeThatAnotherThreadEnded) {
  Ranges ranges;
  ranges.push("", "outer");
  const std::uint32_t outer = ranges.current();
  const std::uint64_t started = ranges.start("", "started");
  std::uint32_t of_other = 0;
  std::thread([&] {
    EXPECT_EQ(ranges.current(), started);
    ranges.end(outer);  // not started, so not this way
    EXPECT_EQ(ranges.current(), started);
    ranges.end(started);
    of_other = ranges.current();
  }).join();
  EXPECT_EQ(of_other, outer);
  EXPECT_EQ(ranges.current(), outer);
  EXPECT_EQ(ranges.pop(""), 0);
  EXPECT_EQ(ranges.current(), 0U);
}

TEST_F(Launches, OfManyThreadsKeepTheirRanges) {
  Ranges ranges;
  constexpr int kThreads = 4;
  constexpr int kTimes = 20'000;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string name = "of thread " + std::to_string(i);
      for (int n = 0; n < kTimes; ++n) {
        ranges.push("", name);
        const std::uint32_t outer = ranges.current();
        ranges.push("domain", "inner");
        const Ranges::Instance inner = ranges.instance(ranges.current());
        if (inner.parent != outer) ++wrong;
        if (ranges.instance(outer).range == inner.range) ++wrong;
        ranges.pop("domain");
        if (ranges.current() != outer) ++wrong;
        ranges.pop("");
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ranges.take_new().size(), 2U * kThreads);
  EXPECT_EQ(ranges.current(), 0U);
}

}  // namespace
}  // namespace warpgauge::launches
