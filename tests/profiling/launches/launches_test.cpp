// SPDX-License-Identifier: Apache-2.0
// Records of launches: what the injection library writes in a program is what its reader reads,
// however the program ended.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"
#include "profiling/results/launches/record_reader.hpp"

namespace warpgauge::launches {
namespace {

namespace fs = std::filesystem;

class Launches : public ::testing::Test {
 protected:
  Launches() {
    std::string made = (fs::temp_directory_path() / "launches_XXXXXX").string();
    folder_ = ::mkdtemp(made.data());
  }
  ~Launches() override { fs::remove_all(folder_); }

  // One after the other, each so long, from `start_` on.
  std::vector<Launch> some(const char* kernel, std::size_t count, std::uint64_t duration_ns,
                           std::uint32_t instance) {
    std::vector<Launch> launches(count);
    for (Launch& each : launches) {
      each.kernel = kernel;
      each.start_ns = start_;
      each.end_ns = start_ + duration_ns;
      each.instance = instance;
      each.alike.grid[0] = 4096;
      each.alike.block[0] = 128;
      start_ += duration_ns + 10;
    }
    return launches;
  }

  [[nodiscard]] fs::path only_file() const {
    for (const auto& each : fs::directory_iterator(folder_)) return each.path();
    return {};
  }
  [[nodiscard]] ProcessRecords only_records() const { return read_records(only_file()); }

  static const RecordedRange& range(const ProcessRecords& records, const std::string& path) {
    for (const RecordedRange& each : records.ranges) {
      if (each.path == path) return each;
    }
    throw std::runtime_error("no range " + path);
  }

  fs::path folder_;
  std::uint64_t start_ = 1'000;
};

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
  const pid_t child = ::fork();
  if (child == 0) {
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    file.count(&Counts::launches, 30);
    aggregation.add(some("kernel", 20, 100, 0));
    aggregation.flush();
    file.append(Kind::text, TextRecord{99}, "never flushed");
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.header.end, End::none);
  ASSERT_EQ(records.entries.size(), 1U);
  EXPECT_EQ(records.entries[0].total.launches, 20U);
  EXPECT_EQ(records.lost(), 10U);
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

TEST_F(Launches, OfAnotherVersionAreRefusedByName) {
  { const RecordFile file(folder_); }
  std::string bytes = results::read_file(only_file());
  bytes[8] = 9;
  try {
    (void)parse_records(bytes, "there");
    FAIL();
  } catch (const results::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("there: is of version 9, not 1"), std::string::npos);
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
