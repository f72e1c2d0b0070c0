// SPDX-License-Identifier: Apache-2.0
// Reads what the injection library left of a process, which may have been killed while it wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::launches {

struct RecordedCount {
  std::string counter;
  CountRecord record;
};

struct RecordedEntry {
  EntryRecord alike;
  std::string range;   // its path, "forward/attention"; empty: in none
  std::string kernel;  // its symbol
  EntryTotal total;
  std::vector<LaunchRecord> launches;  // in their order
  // Where the process was counted, by launch in their order.
  std::vector<RecordedCount> counts;
  std::vector<InstructionRecord> instructions;
  std::map<std::string, std::string> not_counted;  // why, by counter; by "": all of them
};

struct RecordedRange {
  std::string path;  // empty: the whole program
  RangeTotal total;
  std::vector<InstanceRecord> instances;  // in their order
};

struct ProcessRecords {
  Header header;
  std::vector<RecordedEntry> entries;  // that launched anything
  std::vector<RecordedRange> ranges;   // in which anything was launched, and the whole program
  std::vector<ModuleRecord> modules;
  std::vector<DeviceRecord> devices;
  std::vector<std::string> problems;
  std::vector<std::string> remarks;

  // Launches that succeeded and are in no entry: those that left no record, with the profiler's
  // `dropped` and `unfinished` among them, and those whose record did not reach the file. What a
  // graph launched counts as far as it is known.
  [[nodiscard]] std::uint64_t lost() const;
};

// name: for messages. Throws results::FormatError for what the library did not write.
[[nodiscard]] ProcessRecords parse_records(std::string_view bytes, const std::string& name);

// Throws results::FileError, too.
[[nodiscard]] ProcessRecords read_records(const std::filesystem::path& path);

// The folders and names of a path's ranges, with their domains: "cudnn:attention". A longer path
// is cut, and ends with a hash of the whole.
inline constexpr char kPathSeparator = '/';
inline constexpr std::size_t kLongestPath = 2'048;

}  // namespace warpgauge::launches
