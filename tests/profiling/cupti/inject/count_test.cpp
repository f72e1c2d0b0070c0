// SPDX-License-Identifier: Apache-2.0
// The injection library counts a program of known launches, on a GPU: each kernel's first launches,
// one at a time, without a trace in what the program computes. Without a GPU these skip.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/profiling/cupti/inject/known_launches.hpp"

namespace warpgauge::launches {
namespace {

class Count : public KnownLaunches {
 protected:
  Count() { variables_ = std::string(kCountVariable) + "=" + kCountCounters; }

  ProcessRecords counted(const std::string& work) {
    const auto all = run(work);
    EXPECT_EQ(all.size(), 1U);
    if (all.empty()) return {};
    EXPECT_TRUE(all[0].problems.empty()) << all[0].problems.front();
    EXPECT_EQ(all[0].header.end, End::ended);
    return all[0];
  }

  // All that was launched of a kernel in a range. A first launch, before which its module is not
  // loaded, is an entry of its own.
  struct Launched {
    std::uint64_t launches = 0;
    std::map<std::string, std::vector<double>> counts;  // of each launch, by counter
    std::vector<InstructionRecord> instructions;
    std::uint32_t passes = 0;

    [[nodiscard]] std::vector<double> of(const std::string& counter) const {
      const auto found = counts.find(counter);
      return found == counts.end() ? std::vector<double>() : found->second;
    }
  };

  static Launched of(const ProcessRecords& records, const std::string& range,
                     const std::string& kernel) {
    Launched launched;
    for (const RecordedEntry& each : records.entries) {
      if (each.range != range || each.kernel.find(kernel) == std::string::npos) continue;
      launched.launches += each.total.launches;
      for (const RecordedCount& count : each.counts) {
        launched.counts[count.counter].push_back(count.record.value);
        launched.passes = count.record.passes;
      }
      launched.instructions.insert(launched.instructions.end(), each.instructions.begin(),
                                   each.instructions.end());
    }
    return launched;
  }

  static void expect_each(const std::vector<double>& counts, double value) {
    EXPECT_GE(counts.size(), kCountedLaunches);
    EXPECT_LE(counts.size(), kCountedLaunches + 1);
    for (const double count : counts) EXPECT_EQ(count, value);
  }
};

TEST_F(Count, CountsTheFirstLaunchesExactlyAndChangesNoResult) {
  const Launched strided = of(counted("strided 10 32 sync"), "", "strided");
  EXPECT_EQ(strided.launches, 10U);
  expect_each(strided.of("shared_load_wavefronts"), 32);
  expect_each(strided.of("shared_store_wavefronts"), 32);
  expect_each(strided.of("shared_load_requests"), 1);
  expect_each(strided.of("global_store_requests"), 1);
  ASSERT_FALSE(strided.of("instructions").empty());
  EXPECT_GT(strided.of("instructions").front(), 0);
  EXPECT_GT(strided.passes, 0U);
}

TEST_F(Count, SeesNoConflictsWhereThereAreNone) {
  const Launched strided = of(counted("strided 2 1 sync"), "", "strided");
  EXPECT_EQ(strided.of("shared_load_wavefronts"), (std::vector<double>{1, 1}));
}

TEST_F(Count, TellsRangesAndThreadsApart) {
  const ProcessRecords records = counted("range a 20 threads 3 50 sync");
  for (const char* range : {"a", "a/known:inner", "thread 0", "thread 1", "thread 2"}) {
    SCOPED_TRACE(range);
    expect_each(of(records, range, "scale").of("global_load_requests"), 16);
  }
}

TEST_F(Count, LeavesGraphsAndTheirCaptureAlone) {
  const ProcessRecords records = counted("launch 5 graph 3 7 launch 5 sync");
  const Launched scale = of(records, "", "scale");
  EXPECT_EQ(scale.launches, 10U);
  expect_each(scale.of("global_load_requests"), 16);
}

TEST_F(Count, SeesWhatIsLaunchedBesideACapture) {
  const Launched scale = of(counted("beside 5 7 sync"), "", "scale");
  EXPECT_EQ(scale.launches, 13U);
  expect_each(scale.of("global_load_requests"), 16);
}

TEST_F(Count, SaysWhyWhatIsLaunchedOnlyBesideACaptureHasNoCounters) {
  const ProcessRecords records = counted("beside 5 0 sync");
  EXPECT_EQ(of(records, "", "scale").launches, 6U);
  const bool says =
      std::any_of(records.entries.begin(), records.entries.end(), [](const RecordedEntry& each) {
        const auto why = each.not_counted.find("");
        return why != each.not_counted.end() &&
               why->second.find("another stream was captured") != std::string::npos;
      });
  EXPECT_TRUE(says);
}

TEST_F(Count, SurvivesAResetOfTheDevice) {
  EXPECT_EQ(of(counted("strided 2 8 reset"), "", "strided").launches, 2U);
}

TEST_F(Count, ReadsOtherCountersAndSaysWhichThereAreNot) {
  variables_ += std::string(" ") + kMoreCountersVariable + "=sm__cycles_active.max";
  const Launched strided = of(counted("strided 3 1 sync"), "", "strided");
  EXPECT_FALSE(strided.of("sm__cycles_active.max").empty());
  variables_ += "x";
  const auto unknown = run("strided 3 1 sync");
  ASSERT_EQ(unknown.size(), 2U);
  ASSERT_FALSE(unknown[1].problems.empty());
  EXPECT_NE(unknown[1].problems[0].find("did you mean"), std::string::npos)
      << unknown[1].problems[0];
}

TEST_F(Count, BeginsAtTheRangeThatItIsGiven) {
  variables_ += std::string(" ") + kSkipUntilVariable + "=a";
  const ProcessRecords records = counted("launch 100 range a 20 sync");
  EXPECT_EQ(launched_in(records, ""), 0U);
  EXPECT_EQ(launched_in(records, "a"), 10U);
}

class CountLines : public Count {
 protected:
  CountLines() {
    variables_ =
        std::string(kCountVariable) + "=" + kCountLines + " " + kKernelVariable + "=strided";
  }
};

TEST_F(CountLines, CountsEachInstructionOfTheKernelAlone) {
  const ProcessRecords records = counted("launch 5 strided 10 32 launch 5 sync");
  std::map<std::uint32_t, std::uint64_t> wavefronts;
  std::map<std::uint32_t, std::uint64_t> ideal;
  for (const InstructionRecord& each : of(records, "", "strided").instructions) {
    wavefronts[each.order] += each.wavefronts;
    ideal[each.order] += each.ideal_wavefronts;
  }
  ASSERT_EQ(wavefronts.size(), kCountedLaunches);
  for (const auto& [order, count] : wavefronts) {
    EXPECT_EQ(count, 64U) << "a store and a load of 32, launch " << order;
    EXPECT_EQ(ideal[order], 2U) << order;
  }
  EXPECT_FALSE(records.modules.empty());
  EXPECT_TRUE(of(records, "", "scale").instructions.empty());
}

}  // namespace
}  // namespace warpgauge::launches
