// SPDX-License-Identifier: Apache-2.0
// The injection library in a program of known launches, on a GPU: every one is recorded, in its
// range, however the program ends. Without a GPU these skip.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "tests/profiling/cupti/inject/counted_program.hpp"
#include "tests/profiling/cupti/inject/known_launches.hpp"

namespace warpgauge::launches {
namespace {

namespace fs = std::filesystem;

class Inject : public KnownLaunches {};

TEST_F(Inject, RecordsEachLaunchInItsRange) {
  const auto all = run("launch 100 range a 50 threads 3 200 graph 20 7 launch 10 sync");
  ASSERT_EQ(all.size(), 1U);
  const Counts& counts = all[0].header.counts;
  EXPECT_EQ(counts.launches, 760U);
  EXPECT_EQ(counts.kernels, 760U);
  EXPECT_EQ(counts.graph_launches, 20U);
  EXPECT_EQ(counts.graph_kernels, 140U);
  EXPECT_EQ(launched_in(all[0], ""), 110U);
  EXPECT_EQ(launched_in(all[0], "a"), 25U);
  EXPECT_EQ(launched_in(all[0], "a/known:inner"), 25U);
  EXPECT_EQ(launched_in(all[0], "graph"), 140U);
  for (const char* thread : {"thread 0", "thread 1", "thread 2"}) {
    EXPECT_EQ(launched_in(all[0], thread), 200U);
  }
  EXPECT_EQ(all[0].modules.size(), 1U);
  EXPECT_EQ(all[0].devices.size(), 1U);
  EXPECT_TRUE(fs::exists(folder_ / code_file(all[0].modules[0])));
}

TEST_F(Inject, RecordsEachCopyAndMemsetInItsRange) {
  const auto all = run("launch 5 copy 20 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.counts.kernels, 5U);
  EXPECT_EQ(all[0].header.counts.copies, 100U);
  EXPECT_EQ(all[0].lost(), 0U);
  std::map<std::string, std::uint64_t> copies;
  for (const RecordedEntry& each : all[0].entries) {
    if (!is_copy(each.alike)) continue;
    const std::string bytes = std::to_string(copied_bytes(each.alike));
    copies[each.range + " " + each.kernel + " " + bytes] += each.total.launches;
  }
  EXPECT_EQ(copies, (std::map<std::string, std::uint64_t>{
                        {"copies memcpy-device-to-device 1024", 20},
                        {"copies memset-device 512", 20},
                        {"copies memcpy-host-to-device 256", 20},
                        {"graph of copies memcpy-device-to-device 1024", 20},
                        {"graph of copies memset-device 512", 20}}));
}

TEST_F(Inject, SurvivesHoweverTheProgramEnds) {
  const auto ended = run("range a 20 sync exit");
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].header.end, End::ended) << "by _exit";
  EXPECT_EQ(ended[0].header.counts.kernels, 20U);
  const auto quick = run("range a 20 sync quick_exit");
  ASSERT_EQ(quick.size(), 2U);
  EXPECT_EQ(quick[1].header.end, End::ended) << "by quick_exit";
  EXPECT_EQ(quick[1].header.counts.kernels, 20U);
  const auto killed = run("range a 30 sync sleep 500 kill", 128 + 9);
  ASSERT_EQ(killed.size(), 3U);
  EXPECT_EQ(killed[2].header.end, End::none);
  EXPECT_EQ(killed[2].header.counts.kernels, 30U);
  const auto crashed = run("range a 40 sync crash", 128 + 11);
  ASSERT_EQ(crashed.size(), 4U);
  EXPECT_EQ(crashed[3].header.counts.launches, 40U) << "what is lost is known";
}

TEST_F(Inject, FollowsForksAndExec) {
  const auto forked = run("fork child 30 launch 5 fork sync");
  ASSERT_EQ(forked.size(), 2U);
  EXPECT_EQ(forked[0].header.counts.kernels + forked[1].header.counts.kernels, 35U);
  const auto replaced = run("launch 10 sync exec launch 20 sync");
  ASSERT_EQ(replaced.size(), 4U);
  EXPECT_EQ(replaced[2].header.end, End::replaced);
  EXPECT_EQ(replaced[2].header.counts.kernels, 10U);
  EXPECT_EQ(replaced[3].header.counts.kernels, 20U);
}

TEST_F(Inject, BeginsAtTheRangeThatItIsGiven) {
  variables_ = std::string(kSkipUntilVariable) + "=a";
  const auto all = run("launch 100 sync range a 20 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.counts.launches, 20U);
  EXPECT_EQ(all[0].header.counts.kernels, 20U);
}

TEST_F(Inject, LeavesOutWhatWasLaunchedBeforeThatRangeAndRunsLater) {
  variables_ = std::string(kSkipUntilVariable) + "=a";
  const auto all = run("slow 500 range a 20 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.counts.launches, 20U);
  EXPECT_EQ(all[0].header.counts.kernels, 20U);
  EXPECT_EQ(launched_in(all[0], ""), 0U);
}

TEST_F(Inject, EndsWithinAHandlerOfASignal) {
  constexpr std::size_t kTimes = 4;  // sometimes within malloc
  std::vector<ProcessRecords> all;
  for (std::size_t i = 0; i < kTimes; ++i) all = run("launch 10 sync signal_exit");
  ASSERT_EQ(all.size(), kTimes);
  for (const ProcessRecords& each : all) {
    EXPECT_EQ(each.header.end, End::ended);
    EXPECT_GE(each.header.counts.kernels, 10U);
  }
}

TEST_F(Inject, LeavesForksAloneWhateverItIsAt) {
  const auto all = run("fork_in_range 200 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.end, End::ended);
  EXPECT_EQ(launched_in(all[0], "forked"), 200U);
  EXPECT_EQ(all[0].lost(), 0U);
}

TEST_F(Inject, HasWhatRanBeforeAReset) {
  const auto all = run("launch 50 sync reset exit");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.counts.kernels, 50U);
  EXPECT_EQ(all[0].lost(), 0U);
}

TEST_F(Inject, FollowsExecWithAListOfArguments) {
  const auto all = run("launch 10 sync execl 20");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].header.end, End::replaced);
  EXPECT_EQ(all[0].header.counts.kernels, 10U);
  EXPECT_EQ(all[1].header.counts.kernels, 20U);
}

TEST_F(Inject, GoesOnWhereExecFails) {
  const auto all = run("launch 10 sync exec_missing exec_missing launch 20 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.end, End::ended);
  EXPECT_EQ(all[0].header.counts.kernels, 30U);
  EXPECT_EQ(all[0].lost(), 0U);
}

TEST_F(Inject, SaysWhatHadNotEnded) {
  const auto all = run("launch 10 sync pending 20");
  ASSERT_EQ(all.size(), 1U);
  const Counts& counts = all[0].header.counts;
  EXPECT_EQ(counts.launches, 30U);
  EXPECT_LT(counts.kernels, 30U);
  EXPECT_EQ(all[0].lost(), counts.launches - counts.kernels);
}

TEST_F(Inject, KnowsHowManyKernelsGraphsShouldRun) {
  const auto all = run("graph_many 10 20 7 sync");
  ASSERT_EQ(all.size(), 1U);
  const Counts& counts = all[0].header.counts;
  EXPECT_EQ(counts.graph_launches, 200U);
  EXPECT_EQ(counts.unknown_graphs, 0U);
  EXPECT_EQ(counts.expected_graph_kernels, 1'400U);
  EXPECT_EQ(counts.graph_kernels, 1'400U);
  EXPECT_EQ(all[0].lost(), 0U);
}

TEST_F(Inject, RecordsWhatTheDriverIsAskedFor) {
  const CountedProgram counted = count_program(
      quoted(KNOWN_LAUNCHES) + " launch 100 threads 3 200 graph_many 10 20 7 beside 5 3 sync");
  ASSERT_EQ(counted.status, 0) << counted.output;
  EXPECT_EQ(counted.driver.launches, 709U);
  EXPECT_EQ(counted.driver.graph_launches, 200U);
  EXPECT_EQ(counted.driver.graph_kernels, 1'400U);
  EXPECT_EQ(counted.driver.unknown_graphs, 0U);
  EXPECT_EQ(counted.recorded, 2'109U);
}

TEST_F(Inject, CountsAMillionLaunches) {
  const auto all = run("launch 1000000 sync");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].header.counts.kernels, 1'000'000U);
  ASSERT_EQ(all[0].entries.size(), 1U);
  EXPECT_LT(all[0].entries[0].launches.size(), 10 * kFirstSamples);
}

}  // namespace
}  // namespace warpgauge::launches
