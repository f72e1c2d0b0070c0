// SPDX-License-Identifier: Apache-2.0
// Records of launches where there is no room for them, and records that nobody wrote.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/json_reader.hpp"
#include "tests/profiling/results/launches/records_folder.hpp"

namespace warpgauge::launches {
namespace {

class RecordLimits : public RecordsFolder {
 protected:
  static void add_record(std::string& bytes, Kind kind, const void* record, std::size_t size,
                         const std::string& rest = {}) {
    const RecordHead head{kind, static_cast<std::uint32_t>(size + rest.size())};
    bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
    bytes.append(static_cast<const char*>(record), size).append(rest);
  }

  // As many kernels, each launched once more.
  void launch_each(Aggregation& aggregation, const std::deque<std::string>& names) {
    for (const std::string& each : names) aggregation.add(some(each.c_str(), 1, 100, 0));
  }
};

TEST_F(RecordLimits, AFileGrowsWithWhatIsInItAndNotWithTime) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  std::deque<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("kernel " + std::to_string(i));
  launch_each(aggregation, names);
  aggregation.flush();
  const auto before = std::filesystem::file_size(only_file());
  constexpr std::size_t kTimes = 50;
  for (std::size_t i = 0; i < kTimes; ++i) {
    launch_each(aggregation, names);
    aggregation.flush();
  }
  EXPECT_EQ(std::filesystem::file_size(only_file()) - before,
            kTimes * names.size() * (sizeof(RecordHead) + sizeof(LaunchRecord)));
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), names.size());
  for (const RecordedEntry& each : records.entries) {
    EXPECT_EQ(each.total.launches, kTimes + 1);
  }
  EXPECT_EQ(records.lost(), 0U);
}

TEST_F(RecordLimits, SamplesLeaveRoomForTotals) {
  Ranges ranges;
  constexpr std::uint64_t kMostBytes = 32'768;
  RecordFile file(folder_, kMostBytes);
  Aggregation aggregation(file, ranges);
  aggregation.add(some("kernel", 1'000, 100, 0));
  aggregation.flush();
  EXPECT_LE(std::filesystem::file_size(only_file()), kMostBytes);
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), 1U);
  EXPECT_EQ(records.entries[0].total.launches, 1'000U);
  EXPECT_LT(records.entries[0].launches.size(), 1'000U);
  EXPECT_EQ(records.header.counts.unwritten, 1'000 - records.entries[0].launches.size());
  EXPECT_EQ(records.lost(), 0U);
  ASSERT_EQ(records.remarks.size(), 1U);
  EXPECT_NE(records.remarks[0].find("records had no room in the file of process"),
            std::string::npos);
}

// A limit on the size of files stands for the disk's.
TEST_F(RecordLimits, OfAFullDiskIsSaidWhatIsLost) {
  const int ended = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    limit.rlim_cur = kHeaderBytes + 100;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    file.count(&Counts::launches, 20);
    aggregation.add(some("kernel", 20, 100, 0));
    aggregation.flush();
    aggregation.flush();
  });
  EXPECT_EQ(ended, 0);
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.lost(), 20U);
  EXPECT_EQ(records.header.counts.unwritten, 22U) << "a name, an entry, and its launches";
}

TEST_F(RecordLimits, OfADiskThatIsFullForAWhileNothingIsLost) {
  const int ended = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = limit.rlim_cur;
    Ranges ranges;
    RecordFile file(folder_);
    Aggregation aggregation(file, ranges);
    limit.rlim_cur = kHeaderBytes + 100;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    file.count(&Counts::launches, 20);
    aggregation.add(some("kernel", 20, 100, 0));
    aggregation.flush();
    limit.rlim_cur = before;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    aggregation.finish();
  });
  EXPECT_EQ(ended, 0);
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.lost(), 0U);
  EXPECT_EQ(records.header.counts.unwritten, 0U);
  ASSERT_EQ(records.entries.size(), 1U);
  EXPECT_EQ(records.entries[0].launches.size(), 20U);
}

TEST_F(RecordLimits, NamesBeyondWhatIsKeptAreCounted) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  const std::size_t fit = kMostTextBytes / kLongestName;
  std::string name(kLongestName, 'k');
  for (std::size_t i = 0; i < fit + 5; ++i) {
    name.replace(0, 8, std::to_string(10'000'000 + i));
    aggregation.add(some(name.c_str(), 1, 100, 0));
  }
  aggregation.finish();
  const ProcessRecords records = only_records();
  EXPECT_EQ(records.header.counts.folded_names, 5U);
  EXPECT_EQ(records.lost(), 0U);
  ASSERT_EQ(records.entries.size(), fit + 1);
  EXPECT_EQ(records.entries.back().kernel, "?");
  EXPECT_EQ(records.entries.back().total.launches, 5U);
}

TEST_F(RecordLimits, APathThatIsTooLongIsCutAndStaysItsOwn) {
  Ranges ranges;
  RecordFile file(folder_);
  Aggregation aggregation(file, ranges);
  ranges.push("", std::string(kLongestName, 'a'));
  for (const char* inner : {"b", "c"}) {
    ranges.push("", inner);
    aggregation.add(some("kernel", 1, 100, ranges.current()));
    ranges.pop("");
  }
  ranges.pop("");
  aggregation.finish();
  const ProcessRecords records = only_records();
  ASSERT_EQ(records.entries.size(), 2U);
  for (const RecordedEntry& each : records.entries) EXPECT_LE(each.range.size(), kLongestPath);
  EXPECT_NE(records.entries[0].range, records.entries[1].range);
}

TEST_F(RecordLimits, EntriesAndRangesBeyondWhatIsWrittenAreRefused) {
  { const RecordFile file(folder_); }
  const std::string empty = results::read_file(only_file());
  std::string entries = empty;
  EntryRecord entry;
  entry.id = kMostEntriesRecorded;
  add_record(entries, Kind::entry, &entry, sizeof entry);
  EXPECT_NO_THROW((void)parse_records(entries, "there"));
  ++entry.id;
  add_record(entries, Kind::entry, &entry, sizeof entry);
  EXPECT_THROW((void)parse_records(entries, "there"), results::FormatError);
  std::string ranges = empty;
  for (std::uint32_t i = 1; i <= kMostRanges + 1; ++i) {
    const RangeRecord range{i, i - 1, 0, 0};
    if (i > kMostRanges) {
      EXPECT_NO_THROW((void)parse_records(ranges, "there"));
    }
    add_record(ranges, Kind::range, &range, sizeof range);
  }
  EXPECT_THROW((void)parse_records(ranges, "there"), results::FormatError);
}

TEST_F(RecordLimits, MachineCodeThatTwoThreadsStoreAtOnceIsWhole) {
  const ModuleRecord module{{3, 4}, 1U << 20U};
  const std::string code(module.bytes, 'c');
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(store_code(folder_, module, code)); });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(only_file().filename(), code_file(module));
  EXPECT_EQ(results::read_file(only_file()), code);
}

}  // namespace
}  // namespace warpgauge::launches
