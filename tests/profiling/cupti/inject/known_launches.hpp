// SPDX-License-Identifier: Apache-2.0
// Starts known_launches.cu with the injection library in it. Without a GPU its tests skip.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiling/results/launches/record_reader.hpp"
#include "tests/helpers/process.hpp"
#include "tests/profiling/cupti/inject/injection.hpp"

namespace warpgauge::launches {

class KnownLaunches : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string made = (std::filesystem::temp_directory_path() / "inject test XXXXXX").string();
    ASSERT_NE(::mkdtemp(made.data()), nullptr);
    folder_ = made;
    if (shell(quoted(KNOWN_LAUNCHES) + " launch 1 sync").status != 0) {
      GTEST_SKIP() << "there is no GPU";
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // What its processes left, the first one first.
  std::vector<ProcessRecords> run(const std::string& work, int status = 0) {
    const Finished finished =
        shell(injection_into(folder_) + variables_ + " " + quoted(KNOWN_LAUNCHES) + " " + work);
    EXPECT_EQ(finished.status, status) << finished.output;
    std::vector<ProcessRecords> all;
    for (const auto& each : std::filesystem::directory_iterator(folder_)) {
      if (each.path().extension() == kRecordSuffix) all.push_back(read_records(each.path()));
    }
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      return a.header.started_ns < b.header.started_ns;
    });
    return all;
  }

  static std::uint64_t launched_in(const ProcessRecords& records, const std::string& path) {
    std::uint64_t count = 0;
    for (const RecordedEntry& each : records.entries) {
      if (each.range == path) count += each.total.launches;
    }
    return count;
  }

  std::filesystem::path folder_;
  std::string variables_;
};

}  // namespace warpgauge::launches
