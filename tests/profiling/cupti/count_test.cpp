// SPDX-License-Identifier: Apache-2.0
// The injection library counts a program of known launches, on a GPU: each kernel's first launches,
// one at a time, without a trace in what the program computes. Without a GPU these skip.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/profiling/cupti/known_launches.hpp"

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

  static const RecordedEntry* find(const ProcessRecords& records, const std::string& range,
                                   const std::string& kernel) {
    for (const RecordedEntry& each : records.entries) {
      if (each.range == range && each.kernel.find(kernel) != std::string::npos) return &each;
    }
    return nullptr;
  }

  // Of each launch, by counter.
  static std::map<std::string, std::vector<double>> values(const RecordedEntry& entry) {
    std::map<std::string, std::vector<double>> values;
    for (const RecordedCount& each : entry.counts) {
      values[each.counter].push_back(each.record.value);
    }
    return values;
  }
};

TEST_F(Count, CountsTheFirstLaunchesExactlyAndChangesNoResult) {
  const ProcessRecords records = counted("strided 10 32 sync");
  const RecordedEntry* const entry = find(records, "", "strided");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->total.launches, 10U);
  const auto of = values(*entry);
  const std::vector<double> each(kCountedLaunches, 32.0);
  EXPECT_EQ(of.at("shared_load_wavefronts"), each);
  EXPECT_EQ(of.at("shared_store_wavefronts"), each);
  const std::vector<double> one(kCountedLaunches, 1.0);
  EXPECT_EQ(of.at("shared_load_requests"), one);
  EXPECT_EQ(of.at("global_store_requests"), one);
  EXPECT_GT(of.at("instructions").front(), 0);
  EXPECT_GT(entry->counts.front().record.passes, 0U);
}

TEST_F(Count, SeesNoConflictsWhereThereAreNone) {
  const ProcessRecords records = counted("strided 2 1 sync");
  const RecordedEntry* const entry = find(records, "", "strided");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(values(*entry).at("shared_load_wavefronts"), (std::vector<double>{1, 1}));
}

TEST_F(Count, TellsRangesAndThreadsApart) {
  const ProcessRecords records = counted("range a 20 threads 3 50 sync");
  for (const char* range : {"a", "a/known:inner", "thread 0", "thread 1", "thread 2"}) {
    const RecordedEntry* const entry = find(records, range, "scale");
    ASSERT_NE(entry, nullptr) << range;
    const auto requests = values(*entry).at("global_load_requests");
    EXPECT_EQ(requests, std::vector<double>(kCountedLaunches, 16.0)) << range;
  }
}

TEST_F(Count, LeavesGraphsAndTheirCaptureAlone) {
  const ProcessRecords records = counted("launch 5 graph 3 7 launch 5 sync");
  ASSERT_EQ(records.entries.size(), 1U);
  EXPECT_EQ(records.entries[0].total.launches, 10U);
  EXPECT_EQ(values(records.entries[0]).at("global_load_requests").size(), kCountedLaunches);
}

TEST_F(Count, SurvivesAResetOfTheDevice) {
  const ProcessRecords records = counted("strided 2 8 reset");
  EXPECT_NE(find(records, "", "strided"), nullptr);
}

TEST_F(Count, ReadsOtherCountersAndSaysWhichThereAreNot) {
  variables_ += std::string(" ") + kMoreCountersVariable + "=sm__cycles_active.max";
  const ProcessRecords records = counted("strided 3 1 sync");
  EXPECT_TRUE(values(*find(records, "", "strided")).contains("sm__cycles_active.max"));
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
  const RecordedEntry* const entry = find(records, "", "strided");
  ASSERT_NE(entry, nullptr);
  std::map<std::uint32_t, std::uint64_t> wavefronts;
  std::map<std::uint32_t, std::uint64_t> ideal;
  for (const InstructionRecord& each : entry->instructions) {
    wavefronts[each.order] += each.wavefronts;
    ideal[each.order] += each.ideal_wavefronts;
  }
  ASSERT_EQ(wavefronts.size(), kCountedLaunches);
  for (const auto& [order, count] : wavefronts) {
    EXPECT_EQ(count, 64U) << "a store and a load of 32, launch " << order;
    EXPECT_EQ(ideal[order], 2U) << order;
  }
  EXPECT_FALSE(records.modules.empty());
  EXPECT_TRUE(find(records, "", "scale")->instructions.empty());
}

}  // namespace
}  // namespace warpgauge::launches
