// SPDX-License-Identifier: Apache-2.0
// Sums up the launches of a process while it runs, in bounded memory, and writes what is worth
// keeping into its file. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiling/results/launches/busy.hpp"
#include "profiling/results/launches/format.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"
#include "profiling/results/launches/record_slots.hpp"

namespace warpgauge::launches {

// One kernel, copy or memset that has run.
struct Launch {
  const char* kernel = "";  // its symbol
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint32_t stream = 0;
  std::uint32_t instance = 0;  // see Ranges::current()
  EntryRecord alike{};         // device, grid, block, what it takes, whether of a graph
};

class Aggregation {
 public:
  // Both must outlive it.
  Aggregation(RecordFile& file, Ranges& ranges)
      : file_(file),
        ranges_(ranges),
        entry_totals_(file, Kind::entry_total),
        range_totals_(file, Kind::range_total) {}

  // Time in which several ran at once is counted once, also where they come in another order than
  // they ran, as long as that is not by far. May throw std::bad_alloc, and then counts them as
  // recorded, not as written.
  void add(std::vector<Launch> launches);

  // What was added so far of launches like this one. Its entry is 0 where there are too many kinds.
  [[nodiscard]] EntryTotal total_of(const Launch& launch);
  // The id of a text, which is written once. 0: there are too many.
  [[nodiscard]] std::uint32_t text_of(std::string_view text);

  // Writes what has changed, with the totals of what is still open.
  void flush();
  // … and the samples of what was still open.
  void finish();

 private:
  // Every stride-th is kept.
  struct Thinning {
    std::uint32_t stride = 1;
    std::uint64_t kept = 0;  // of this stride
    [[nodiscard]] bool keeps(std::uint64_t order);
  };

  struct Entry {
    std::size_t slot = 0;
    EntryTotal total;
    Thinning thinning;
    std::uint32_t seen_streams[kMostStreams] = {};
  };

  // By number. Those of one thread come when another's are thousands further on, so each must be
  // found and put in between without moving the others.
  using OpenInstances = std::map<std::uint32_t, Busy>;

  struct Range {
    std::size_t slot = 0;
    RangeTotal total;  // of what is closed
    Thinning thinning;
    OpenInstances open;
    bool changed = false;
  };

  struct KeyHash {
    std::size_t operator()(const EntryRecord& key) const;
  };
  struct KeyEqual {
    bool operator()(const EntryRecord& a, const EntryRecord& b) const;
  };

  void add(const Launch& launch);
  void add_to_ranges(const Launch& launch, Ranges::Instance instance);
  [[nodiscard]] EntryRecord key_of(const Launch& launch, Ranges::Instance instance);
  Entry* entry_of(const EntryRecord& key);
  [[nodiscard]] std::uint32_t kernel_text(const char* name);
  [[nodiscard]] Range& range_of(std::uint32_t id);
  [[nodiscard]] Busy& busy_of(Range& range, std::uint32_t number);
  void close(Range& range, OpenInstances::iterator instance);
  void close_oldest();
  void write_total(Range& range);
  void write_new_ranges();

  RecordFile& file_;
  Ranges& ranges_;
  RecordSlots<EntryTotal> entry_totals_;
  RecordSlots<RangeTotal> range_totals_;
  std::unordered_map<std::string, std::uint32_t> texts_;
  std::size_t text_bytes_ = 0;
  std::unordered_map<const char*, std::pair<const std::string*, std::uint32_t>> kernels_;
  std::unordered_map<EntryRecord, Entry, KeyHash, KeyEqual> entries_;  // their ids are 0 as keys
  std::unordered_map<std::uint32_t, Range> by_range_;
  std::deque<std::pair<Range*, std::uint32_t>> opened_;  // of all ranges, by when they came
  Range program_;                                        // its one instance is open to the end
  std::uint64_t folded_ranges_ = 0;
};

}  // namespace warpgauge::launches
