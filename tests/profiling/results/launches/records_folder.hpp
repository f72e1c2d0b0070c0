// SPDX-License-Identifier: Apache-2.0
// A folder for records of launches, and launches to record.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"
#include "profiling/results/launches/record_reader.hpp"

namespace warpgauge::launches {

class RecordsFolder : public ::testing::Test {
 protected:
  RecordsFolder() {
    std::string made = (std::filesystem::temp_directory_path() / "launches_XXXXXX").string();
    folder_ = ::mkdtemp(made.data());
  }
  ~RecordsFolder() override { std::filesystem::remove_all(folder_); }

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

  [[nodiscard]] std::filesystem::path only_file() const {
    for (const auto& each : std::filesystem::directory_iterator(folder_)) return each.path();
    return {};
  }
  [[nodiscard]] ProcessRecords only_records() const { return read_records(only_file()); }

  static const RecordedRange& range(const ProcessRecords& records, const std::string& path) {
    for (const RecordedRange& each : records.ranges) {
      if (each.path == path) return each;
    }
    throw std::runtime_error("no range " + path);
  }

  // Its exit status, or the signal that ended it.
  template <class Work>
  static int in_child(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  }

  std::filesystem::path folder_;
  std::uint64_t start_ = 1'000;
};

}  // namespace warpgauge::launches
