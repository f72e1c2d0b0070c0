// SPDX-License-Identifier: Apache-2.0
// Records of one kind that change: each is written again where it was first, so that a file grows
// with how much is in it, and not with time. One thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "profiling/results/launches/format.hpp"
#include "profiling/results/launches/record_file.hpp"

namespace warpgauge::launches {

template <class Record>
class RecordSlots {
 public:
  // file must outlive it.
  RecordSlots(RecordFile& file, Kind kind) : file_(file), kind_(kind) {}

  // A new one, all zero, which no reader counts.
  std::size_t add() {
    if (count_ % kOfBlock == 0) {
      Block& block = blocks_.emplace_back();
      for (Slot& each : block.slots) each.head = {kind_, sizeof(Record)};
    }
    return count_++;
  }

  void set(std::size_t slot, const Record& record) noexcept {
    Block& block = blocks_[slot / kOfBlock];
    block.slots[slot % kOfBlock].record = record;
    block.changed = true;
  }

  // What has changed. What cannot be written is tried again next time.
  void write() noexcept {
    for (Block& each : blocks_) {
      if (!each.changed) continue;
      const std::string_view bytes(reinterpret_cast<const char*>(each.slots.data()),
                                   sizeof each.slots);
      each.changed =
          !(each.place == 0 ? file_.place(bytes, each.place) : file_.replace(each.place, bytes));
    }
  }

 private:
  // One write takes as many; a page of the smallest ones.
  static constexpr std::size_t kOfBlock = 128;

  struct Slot {
    RecordHead head;
    Record record;
  };
  static_assert(sizeof(Slot) == sizeof(RecordHead) + sizeof(Record),
                "as records follow each other");

  struct Block {
    std::array<Slot, kOfBlock> slots;
    std::uint64_t place = 0;  // in the file; 0: in none yet
    bool changed = true;
  };

  RecordFile& file_;
  Kind kind_;
  std::size_t count_ = 0;
  std::deque<Block> blocks_;
};

}  // namespace warpgauge::launches
