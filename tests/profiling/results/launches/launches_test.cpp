// SPDX-License-Identifier: Apache-2.0
// Records of launches: what the injection library writes in a program is what its reader reads,
// however the program ended.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/launches/busy.hpp"
#include "profiling/results/program_id.hpp"
#include "tests/profiling/results/launches/records_folder.hpp"

namespace warpgauge::launches {
namespace {

namespace fs = std::filesystem;

using Launches = RecordsFolder;

TEST_F(Launches, AreCountedByKernelAndRange) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  file.count(&Counts::launches, 6);
  ranges.push("", "step");
  ranges.push("library", "inner");
  aggregation.add(some("first", 2, 100, ranges.current()));
  ranges.pop("library");
  aggregation.add(some("first", 3, 200, ranges.current()));
  ranges.pop("");
  aggregation.add(some("second", 1, 50, ranges.current()));
  aggregation.finish();
  file.end_as(End::ended);

  const ProcessRecords records = only_records();
  EXPECT_EQ(records.header.end, End::ended);
  EXPECT_EQ(records.header.process, ::getpid());
  EXPECT_EQ(records.lost(), 0U);
  ASSERT_EQ(records.entries.size(), 3U);
  EXPECT_EQ(records.entries[0].range, "step/library:inner");
  EXPECT_EQ(records.entries[1].range, "step");
  EXPECT_EQ(records.entries[1].kernel, "first");
  EXPECT_EQ(records.entries[1].total.launches, 3U);
  EXPECT_EQ(records.entries[1].total.gpu_ns, 600U);
  EXPECT_EQ(records.entries[2].range, "");
  const RecordedRange& step = range(records, "step");
  EXPECT_EQ(step.total.instances, 1U);
  EXPECT_EQ(step.total.launches, 5U);
  EXPECT_EQ(step.total.gpu_ns, 800U);
  EXPECT_EQ(step.total.span_ns, 840U);
  EXPECT_EQ(range(records, "step/library:inner").total.launches, 2U);
  EXPECT_EQ(range(records, "").total.launches, 6U);
}

TEST_F(Launches, MayBeCopiesWhichAreCountedApart) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  file.count(&Counts::launches, 3);
  ranges.push("", "step");
  aggregation.add(some("kernel", 2, 100, ranges.current()));
  for (const char* name : {results::kCopyOnDevice, results::kCopyToDevice}) {
    std::vector<Launch> copies = some(name, 5, 1000, ranges.current());
    for (Launch& each : copies) {
      each.alike = EntryRecord();
      each.alike.grid[0] = 4096;
      each.alike.grid[1] = 1;
    }
    aggregation.add(copies);
  }
  ranges.pop("");
  aggregation.finish();

  const ProcessRecords records = only_records();
  EXPECT_EQ(records.header.counts.kernels, 2U);
  EXPECT_EQ(records.header.counts.copies, 10U);
  EXPECT_EQ(records.lost(), 1U) << "copies stand for no kernel that was lost";
  ASSERT_EQ(records.entries.size(), 3U);
  EXPECT_FALSE(is_copy(records.entries[0].alike));
  EXPECT_TRUE(is_copy(records.entries[1].alike));
  EXPECT_EQ(copied_bytes(records.entries[1].alike), (std::uint64_t{1} << 32U) + 4096);
  EXPECT_EQ(records.entries[2].total.launches, 5U);
  const RecordedRange& step = range(records, "step");
  EXPECT_EQ(step.total.launches, 12U);
  EXPECT_EQ(step.total.gpu_ns, 5'200U) << "without those that the host takes part in";
}

TEST_F(Launches, HaveWhatWasCountedOfThem) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  const std::vector<Launch> launches = some("first", 2, 100, 0);
  EXPECT_EQ(aggregation.total_of(launches[0]).launches, 0U);
  aggregation.add(std::vector{launches[0]});
  const EntryTotal total = aggregation.total_of(launches[1]);
  EXPECT_EQ(total.launches, 1U);
  const std::uint32_t name = aggregation.text_of("wavefronts");
  EXPECT_EQ(aggregation.text_of("wavefronts"), name);
  file.append(Kind::count, CountRecord{total.entry, name, 1, 3, 2.5});
  file.append(Kind::not_counted,
              NotCountedRecord{total.entry, name, aggregation.text_of("no room")});
  file.append(Kind::not_counted, NotCountedRecord{total.entry, 0, aggregation.text_of("busy")});
  file.append(Kind::instruction, InstructionRecord{total.entry, 1, 48, 7, 6, 5, 4, 3});
  aggregation.finish();

  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), 1U);
  const RecordedEntry& entry = records.entries[0];
  ASSERT_EQ(entry.counts.size(), 1U);
  EXPECT_EQ(entry.counts[0].counter, "wavefronts");
  EXPECT_EQ(entry.counts[0].record.order, 1U);
  EXPECT_EQ(entry.counts[0].record.passes, 3U);
  EXPECT_EQ(entry.counts[0].record.value, 2.5);
  EXPECT_EQ(entry.not_counted.at("wavefronts"), "no room");
  EXPECT_EQ(entry.not_counted.at(""), "busy");
  ASSERT_EQ(entry.instructions.size(), 1U);
  EXPECT_EQ(entry.instructions[0].offset_bytes, 48U);
  EXPECT_EQ(entry.instructions[0].ideal_sectors, 3U);
}

TEST_F(Launches, KnowTheRankOfTheirProcessAndHowManyThereAre) {
  const auto header_where = [&](const char* variable, const char* value) {
    ::setenv(variable, value, 1);
    { const RecordFile file(folder_); }
    ::unsetenv(variable);
    const fs::path path = only_file();
    const ProcessRecords records = read_records(path);
    fs::remove(path);
    return records.header;
  };
  const auto rank_where = [&](const char* variable, const char* value) {
    return header_where(variable, value).rank_from_1 - 1;
  };
  for (const char* each : kRankVariables) ::unsetenv(each);
  for (const char* each : kRanksVariables) ::unsetenv(each);
  for (const char* each : kRanksVariables) EXPECT_EQ(header_where(each, "8").ranks, 8) << each;
  for (const char* odd : {"", "x", "-1", "8x"}) EXPECT_EQ(header_where("WORLD_SIZE", odd).ranks, 0);
  EXPECT_EQ(rank_where("UNRELATED", "3"), -1);
  for (const char* each : kRankVariables) EXPECT_EQ(rank_where(each, "3"), 3) << each;
  EXPECT_EQ(rank_where("RANK", "0"), 0);
  for (const char* odd : {"", "x", "-1", "3x", "99999999999"})
    EXPECT_EQ(rank_where("RANK", odd), -1);
}

TEST_F(Launches, ThatOverlapCountOnceAsBusyTime) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  std::vector<Launch> both(2);
  both[0].start_ns = 150;
  both[0].end_ns = 300;
  both[0].stream = 7;
  both[1].start_ns = 100;
  both[1].end_ns = 200;
  aggregation.add(both);
  aggregation.finish();
  const RangeTotal total = range(only_records(), "").total;
  EXPECT_EQ(total.gpu_ns, 250U);
  EXPECT_EQ(total.busy_ns, 200U);
  EXPECT_EQ(total.span_ns, 200U);
}

TEST_F(Launches, ThatWaitForOthersAreNoPartOfWhatARangeTakes) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  std::vector<Launch> all(3);
  const char* const names[] = {"_Z4workPf", "_Z40ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclArgs",
                               "_Z9own_nccl_xPf"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].kernel = names[i];
    all[i].start_ns = 100 * (i + 1);
    all[i].end_ns = all[i].start_ns + 100;
  }
  aggregation.add(all);
  aggregation.finish();
  const RangeTotal total = range(only_records(), "").total;
  EXPECT_EQ(total.gpu_ns, 200U);
  EXPECT_EQ(total.busy_ns, 300U);
  EXPECT_EQ(total.launches, 3U);
}

TEST_F(Launches, OfMillionsLeaveASmallFileWithAllOfThemCounted) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  constexpr std::size_t kBatches = 200;
  for (std::size_t i = 0; i < kBatches; ++i) {
    aggregation.add(some("kernel", 5'000, 100 + i, 0));
    aggregation.flush();
  }
  aggregation.finish();
  EXPECT_LT(fs::file_size(only_file()), 400'000U);
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), 1U);
  const RecordedEntry& entry = records.entries[0];
  EXPECT_EQ(entry.total.launches, 1'000'000U);
  EXPECT_GT(entry.launches.size(), 2 * kFirstSamples);
  EXPECT_LT(entry.launches.size(), 10 * kFirstSamples);
  EXPECT_EQ(entry.launches[kFirstSamples - 1].order, kFirstSamples - 1);
  EXPECT_GT(entry.launches.back().order, 990'000U);
  EXPECT_EQ(entry.launches.back().order % entry.launches.back().stride, 0U);
}

TEST_F(Launches, OfAKilledProcessAreThoseThatWereFlushedAndTheRestIsSaid) {
  const int ended = in_child([&] {
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    file.count(&Counts::launches, 30);
    aggregation.add(some("kernel", 20, 100, 0));
    aggregation.flush();
    file.append(Kind::text, TextRecord{99}, "never flushed");
    aggregation.add(some("kernel", 5, 100, 0));
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(ended, SIGKILL);
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.header.end, End::none);
  ASSERT_EQ(records.entries.size(), 1U);
  EXPECT_EQ(records.entries[0].total.launches, 20U);
  EXPECT_EQ(records.header.counts.kernels, 25U);
  EXPECT_EQ(records.lost(), 10U) << "those that were recorded and not written, too";
}

TEST_F(Launches, OfAKilledProcessCountInRangesThatWereStillOpen) {
  in_child([&] {
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    for (int i = 0; i < 3; ++i) {
      ranges.push("", "step");
      aggregation.add(some("kernel", 2, 100, ranges.current()));
      ranges.pop("");
    }
    aggregation.flush();
    ::kill(::getpid(), SIGKILL);
  });
  const RangeTotal total = range(only_records(), "step").total;
  EXPECT_EQ(total.instances, 3U);
  EXPECT_EQ(total.launches, 6U);
  EXPECT_EQ(total.gpu_ns, 600U);
  EXPECT_EQ(total.span_ns, 630U);
}

// As CUPTI hands them over: a buffer for each thread.
TEST_F(Launches, OfTwoThreadsInOneRangeAreOneInstanceHoweverLateTheOthersCome) {
  constexpr std::uint64_t kSteps = 2'000;
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  std::vector<Launch> of_other;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    ranges.push("", "backward");
    aggregation.add(some("own", 1, 100, ranges.current()));
    const std::vector<Launch> other = some("other", 2, 50, ranges.current());
    of_other.insert(of_other.end(), other.begin(), other.end());
    ranges.pop("");
  }
  aggregation.add(of_other);
  aggregation.finish();
  const ProcessRecords records = only_records();
  const RecordedRange& backward = range(records, "backward");
  EXPECT_EQ(backward.total.instances, kSteps);
  EXPECT_EQ(backward.total.gpu_ns, kSteps * 200);
  EXPECT_EQ(backward.total.span_ns, kSteps * 220);
  for (const InstanceRecord& each : backward.instances) {
    ASSERT_EQ(each.launches, 3U);
    ASSERT_EQ(each.gpu_ns, 200U);
  }
}

TEST_F(Launches, OfMoreRangesThanAreKeptOpenAreAllCounted) {
  constexpr std::uint64_t kSteps = 20'000;
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    ranges.push("", i % 2 == 0 ? "even" : "odd");
    aggregation.add(some("kernel", 1, 100, ranges.current()));
    ranges.pop("");
  }
  aggregation.finish();
  const ProcessRecords records = only_records();
  for (const char* each : {"even", "odd"}) {
    EXPECT_EQ(range(records, each).total.instances, kSteps / 2);
    EXPECT_EQ(range(records, each).total.launches, kSteps / 2);
  }
}

TEST_F(Launches, ThatComeInAnotherOrderThanTheyRanAreAsBusy) {
  std::mt19937 random(::testing::UnitTest::GetInstance()->random_seed() + 1U);
  for (int attempt = 0; attempt < 200; ++attempt) {
    std::vector<bool> ran(400);
    Busy busy(64);
    std::uint64_t first = ran.size();
    std::uint64_t last = 0;
    for (int i = 0; i < 30; ++i) {
      const std::uint64_t from = random() % 390;
      const std::uint64_t to = from + random() % 10;
      busy.add(from, to);
      for (std::uint64_t at = from; at < to; ++at) ran[at] = true;
      first = std::min(first, from);
      last = std::max(last, to);
    }
    EXPECT_EQ(busy.busy_ns(), std::count(ran.begin(), ran.end(), true)) << attempt;
    EXPECT_EQ(busy.span_ns(), last - first) << attempt;
  }
}

TEST_F(Launches, AreLostWhereTheProfilerDroppedThemOrAGraphLeftFewer) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  aggregation.add(some("kernel", 20, 100, 0));
  aggregation.finish();
  file.count(&Counts::launches, 23);
  EXPECT_EQ(only_records().lost(), 3U);
  file.count(&Counts::dropped, 3);
  EXPECT_EQ(only_records().lost(), 3U) << "the same ones";
  file.count(&Counts::expected_graph_kernels, 4);
  EXPECT_EQ(only_records().lost(), 7U);
}

// As of a product in a graph of PyTorch's, whose records name no node.
TEST_F(Launches, OfAGraphNeedNotNameTheirNode) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  aggregation.add(some("kernel", 20, 100, 0));
  aggregation.finish();
  file.count(&Counts::launches, 5);
  file.count(&Counts::expected_graph_kernels, 15);
  EXPECT_EQ(only_records().lost(), 0U);
  file.count(&Counts::expected_graph_kernels, 2);
  EXPECT_EQ(only_records().lost(), 2U);
}

TEST_F(Launches, AreToldApartByTheModuleThatTheyAreOf) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  std::vector<Launch> launches = some("kernel", 3, 100, 0);
  launches[2].alike.code[0] = 5;
  launches[2].alike.code[1] = 7;
  aggregation.add(launches);
  aggregation.finish();
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), 2U);
  EXPECT_EQ(records.entries[0].alike.code[1], 0U);
  EXPECT_EQ(records.entries[1].alike.code[0], 5U);
  EXPECT_EQ(records.entries[1].alike.code[1], 7U);
  EXPECT_EQ(records.entries[1].total.launches, 1U);
}

TEST_F(Launches, AreReadUpToWhereTheirFileWasCutOff) {
  {
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    aggregation.add(some("kernel", 20, 100, 0));
    aggregation.finish();
  }
  const std::string whole = results::read_file(only_file());
  for (std::size_t size = 0; size < whole.size(); size += 13) {
    const std::string_view part = std::string_view(whole).substr(0, size);
    if (size < kHeaderBytes) {
      EXPECT_THROW((void)parse_records(part, "part"), results::FormatError);
    } else {
      EXPECT_LE(parse_records(part, "part").entries.size(), 1U);
    }
  }
}

TEST_F(Launches, OfAnotherVersionAreRefusedByName) {
  { const RecordFile file(folder_); }
  std::string bytes = results::read_file(only_file());
  bytes[8] = 9;
  try {
    (void)parse_records(bytes, "there");
    FAIL();
  } catch (const results::FormatError& error) {
    const std::string why = "there: is of version 9, not " + std::to_string(kVersion);
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos);
  }
}

TEST_F(Launches, OfARecordThatIsTooShortAreRefused) {
  { const RecordFile file(folder_); }
  std::string bytes = results::read_file(only_file());
  const RecordHead head{Kind::text, 1};
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head).append("x");
  EXPECT_THROW((void)parse_records(bytes, "there"), results::FormatError);
}

TEST_F(Launches, MachineCodeIsStoredOnceByItsHash) {
  const ModuleRecord module{{1, 2}, 4};
  EXPECT_TRUE(store_code(folder_, module, "code"));
  EXPECT_TRUE(store_code(folder_, module, "code"));
  EXPECT_FALSE(store_code(folder_, module, ""));
  EXPECT_FALSE(store_code(folder_ / "none", module, "code"));
  EXPECT_EQ(only_file().filename(), "code-00000000000000020000000000000001.cubin");
  EXPECT_EQ(results::read_file(only_file()), "code");
}

}  // namespace
}  // namespace warpgauge::launches
