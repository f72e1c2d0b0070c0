// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/record_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::launches {
namespace {

// A text that a message or an id may hold: on one line.
std::string printable(std::string_view bytes) {
  std::string text(bytes.substr(0, kLongestName));
  for (char& each : text) {
    if (static_cast<unsigned char>(each) < ' ') each = '?';
  }
  return text;
}

// 64-bit FNV-1a, which is the same everywhere.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) {
    hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  }
  return hash;
}

std::string bounded_path(std::string path) {
  if (path.size() <= kLongestPath) return path;
  const std::string hash = fmt::format("…{:016x}", hash_of(path));
  std::size_t kept = kLongestPath - hash.size();
  while (kept > 0 && (static_cast<unsigned char>(path[kept]) & 0xc0U) == 0x80U) --kept;
  return path.substr(0, kept) + hash;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  ProcessRecords read() {
    ProcessRecords records;
    records.header = header();
    std::string_view rest = bytes_.substr(kHeaderBytes);
    while (rest.size() >= sizeof(RecordHead)) {
      RecordHead head;
      std::memcpy(&head, rest.data(), sizeof head);
      rest.remove_prefix(sizeof head);
      if (head.bytes > rest.size()) break;  // cut off
      take(head.kind, rest.substr(0, head.bytes), records);
      rest.remove_prefix(head.bytes);
    }
    name_all(records);
    say_unwritten(records);
    return records;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw results::FormatError(fmt::format("{}: {}", name_, what));
  }

  [[nodiscard]] Header header() const {
    Header header;
    if (bytes_.size() < kHeaderBytes) fail("ends within its first page");
    std::memcpy(&header, bytes_.data(), sizeof header);
    if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) fail("is no record of launches");
    if (header.version != kVersion) {
      fail(fmt::format("is of version {}, not {}: use a libwarpgauge_inject.so of this version",
                       header.version, kVersion));
    }
    return header;
  }

  template <class Record>
  Record as(std::string_view bytes) const {
    if (bytes.size() < sizeof(Record)) fail("has a record that is too short");
    Record record;
    std::memcpy(&record, bytes.data(), sizeof record);
    return record;
  }

  void take(Kind kind, std::string_view bytes, ProcessRecords& records) {
    switch (kind) {
      case Kind::text: {
        const auto text = as<TextRecord>(bytes);
        if (texts_.size() >= kMostTexts) fail("has more texts than anyone writes");
        texts_[text.id] = printable(bytes.substr(sizeof text));
        return;
      }
      case Kind::range: {
        const auto range = as<RangeRecord>(bytes);
        // A range comes after the one around it, so that no chain of them is closed.
        if (range.parent != 0 && !ranges_.contains(range.parent)) fail("has a range of none");
        if (range.id == 0 || ranges_.size() >= kMostRanges) fail("has ranges that nobody writes");
        if (ranges_.try_emplace(range.id, range).second) in_order_.push_back(range.id);
        return;
      }
      case Kind::entry: {
        const auto entry = as<EntryRecord>(bytes);
        entry_(entry.id).alike = entry;
        return;
      }
      case Kind::launch: {
        const auto launch = as<LaunchRecord>(bytes);
        entry_(launch.entry).launches.push_back(launch);
        return;
      }
      case Kind::entry_total: {
        const auto total = as<EntryTotal>(bytes);
        if (total.entry != 0) entry_(total.entry).total = total;
        return;
      }
      case Kind::instance: {
        const auto instance = as<InstanceRecord>(bytes);
        range_(instance.range).instances.push_back(instance);
        return;
      }
      case Kind::range_total: {
        const auto total = as<RangeTotal>(bytes);
        if (total.launches != 0) range_(total.range).total = total;
        return;
      }
      case Kind::module:
      case Kind::device:
      case Kind::problem:
      case Kind::remark:
        return take_of_process(kind, bytes, records);
      case Kind::count:
      case Kind::not_counted:
      case Kind::instruction:
        return take_count(kind, bytes);
    }
    fail(fmt::format("has a record of kind {}, which nobody writes", static_cast<int>(kind)));
  }

  void take_of_process(Kind kind, std::string_view bytes, ProcessRecords& records) {
    if (kind == Kind::module) {
      records.modules.push_back(as<ModuleRecord>(bytes));
    } else if (kind == Kind::device) {
      auto device = as<DeviceRecord>(bytes);
      device.name[sizeof device.name - 1] = device.driver[sizeof device.driver - 1] = '\0';
      records.devices.push_back(device);
    } else {
      (kind == Kind::problem ? records.problems : records.remarks).push_back(printable(bytes));
    }
  }

  // Of texts that come before it.
  void take_count(Kind kind, std::string_view bytes) {
    if (kind == Kind::count) {
      const auto count = as<CountRecord>(bytes);
      entry_(count.entry).counts.push_back({text(count.counter), count});
    } else if (kind == Kind::not_counted) {
      const auto missing = as<NotCountedRecord>(bytes);
      const std::string counter = missing.counter == 0 ? "" : text(missing.counter);
      entry_(missing.entry).not_counted.emplace(counter, text(missing.reason));
    } else {
      const auto instruction = as<InstructionRecord>(bytes);
      entry_(instruction.entry).instructions.push_back(instruction);
    }
  }

  RecordedEntry& entry_(std::uint32_t id) {
    if (id == 0 || id > kMostEntriesRecorded) fail(fmt::format("has an entry {}", id));
    return entries_[id];
  }

  RecordedRange& range_(std::uint32_t id) {
    if (id > kMostRanges) fail(fmt::format("has a range {}", id));
    return by_range_[id];
  }

  [[nodiscard]] std::string text(std::uint32_t id) const {
    const auto found = texts_.find(id);
    return found == texts_.end() ? "?" : found->second;
  }

  // A range comes after the one around it.
  void name_ranges() {
    for (const std::uint32_t id : in_order_) {
      const RangeRecord& range = ranges_.at(id);
      std::string path;
      if (range.parent != 0) path.append(paths_.at(range.parent)) += kPathSeparator;
      if (range.domain != 0) path.append(text(range.domain)) += ':';
      paths_[id] = bounded_path(path.append(text(range.name)));
    }
  }

  [[nodiscard]] std::string path_of(std::uint32_t id) const {
    const auto found = paths_.find(id);
    return found == paths_.end() ? "" : found->second;
  }

  void name_all(ProcessRecords& records) {
    name_ranges();
    for (auto& [id, entry] : entries_) {
      // Without a total, since the process was killed before it was written: what was seen.
      if (entry.total.launches == 0) {
        entry.total.launches = entry.launches.size();
        for (const LaunchRecord& each : entry.launches) entry.total.gpu_ns += each.duration_ns;
      }
      if (entry.total.launches == 0 || entry.alike.id == 0) continue;
      entry.range = path_of(entry.alike.range);
      entry.kernel = text(entry.alike.kernel);
      records.entries.push_back(std::move(entry));
    }
    for (auto& [id, range] : by_range_) {
      range.path = path_of(id);
      if (id != 0 && range.path.empty()) continue;
      records.ranges.push_back(std::move(range));
    }
  }

  static void say_unwritten(ProcessRecords& records) {
    const Counts& counts = records.header.counts;
    if (counts.unwritten > 0) {
      records.remarks.push_back(fmt::format(
          "{} records had no room in the file of process {}: the disk is full, or the program has "
          "more kernels than are told apart; totals that were written are right",
          counts.unwritten, records.header.process));
    }
  }

  std::string_view bytes_;
  const std::string& name_;
  std::unordered_map<std::uint32_t, std::string> texts_;
  std::unordered_map<std::uint32_t, RangeRecord> ranges_;
  std::vector<std::uint32_t> in_order_;                   // of ranges_
  std::unordered_map<std::uint32_t, std::string> paths_;  // of ranges
  std::map<std::uint32_t, RecordedEntry> entries_;
  std::map<std::uint32_t, RecordedRange> by_range_;
};

}  // namespace

std::uint64_t ProcessRecords::lost() const {
  const Counts& counts = header.counts;
  const auto beyond = [](std::uint64_t all, std::uint64_t part) {
    return all > part ? all - part : 0;
  };
  std::uint64_t written = counts.folded;
  for (const RecordedEntry& each : entries) written += each.total.launches;
  // CUPTI does not name the node of every kernel of a graph: then there are more others than were
  // launched.
  const std::uint64_t of_graphs = counts.graph_kernels + beyond(counts.kernels, counts.launches);
  const std::uint64_t left_no_record =
      beyond(counts.launches, counts.kernels) + beyond(counts.expected_graph_kernels, of_graphs);
  return std::max(left_no_record, counts.dropped) +
         beyond(counts.kernels + counts.graph_kernels + counts.copies, written);
}

ProcessRecords parse_records(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

ProcessRecords read_records(const std::filesystem::path& path) {
  return parse_records(results::read_file(path, results::kLaunchesLimit), path.string());
}

}  // namespace warpgauge::launches
