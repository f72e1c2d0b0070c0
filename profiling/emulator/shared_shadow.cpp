// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/shared_shadow.hpp"

#include <algorithm>

namespace warpgauge::emulator {
namespace {

// Two writes may be of the same value and so harmless; whatever else there is comes first.
bool before(const std::optional<Hazard>& known, Hazard::Kind found) {
  return !known || (known->kind == Hazard::Kind::write_after_write &&
                    found != Hazard::Kind::write_after_write);
}

}  // namespace

bool SharedShadow::conflicts(const Access& earlier, const Access& now,
                             const WarpClocks& clocks) const {
  if (earlier.epoch != now.epoch || earlier.thread == now.thread) return false;
  if (earlier.atomic && now.atomic) return false;
  if (earlier.thread / kWarpLanes != now.thread / kWarpLanes) return true;
  return !clocks.ordered(now.thread % kWarpLanes, earlier.thread % kWarpLanes, earlier.time);
}

std::optional<Hazard> SharedShadow::access_cell(Cell& cell, const Access& now, RecordKind kind,
                                                const WarpClocks& clocks) {
  using Kind = Hazard::Kind;
  std::optional<Hazard> hazard;
  const auto find = [&](Kind found, const Access& earlier) {
    if (before(hazard, found)) hazard = Hazard{found, earlier.pc, earlier.thread};
  };
  const bool reads = kind != RecordKind::store;
  const bool writes = kind != RecordKind::load;

  if (reads && cell.written_in_block != block_) find(Kind::uninitialized_read, {});
  if (conflicts(cell.write, now, clocks)) {
    find(writes ? Kind::write_after_write : Kind::read_after_write, cell.write);
  }
  if (writes) {
    for (const Access& read : cell.reads) {
      if (conflicts(read, now, clocks)) find(Kind::write_after_read, read);
    }
    cell.write = now;
    cell.written_in_block = block_;
  }
  if (reads) {
    if (cell.reads[0].thread != now.thread || cell.reads[0].epoch != now.epoch) {
      cell.reads[1] = cell.reads[0];
    }
    cell.reads[0] = now;
  }
  return hazard;
}

std::array<SharedShadow::Cell, 4>& SharedShadow::split(Word& word) {
  if (word.split_in_block != block_) {
    word.split_in_block = block_;
    word.split = static_cast<std::uint32_t>(split_words_.size());
    split_words_.push_back({word.cell, word.cell, word.cell, word.cell});
  }
  return split_words_[word.split];
}

std::optional<Hazard> SharedShadow::access(std::size_t offset, unsigned bytes, unsigned thread,
                                           RecordKind kind, std::uint32_t pc,
                                           const WarpClocks& clocks) {
  const Access now{epoch_, pc, clocks.now(thread % kWarpLanes), static_cast<std::uint16_t>(thread),
                   kind == RecordKind::atomic};
  std::optional<Hazard> first;
  const auto note = [&](Cell& cell) {
    const auto hazard = access_cell(cell, now, kind, clocks);
    if (hazard && before(first, hazard->kind)) first = hazard;
  };
  const std::size_t end = offset + bytes;
  while (offset < end) {
    Word& word = words_[offset / 4];
    const std::size_t word_end = std::min(offset / 4 * 4 + 4, end);
    if (word_end - offset == 4 && word.split_in_block != block_) {
      note(word.cell);
    } else {
      auto& cells = split(word);
      for (std::size_t byte = offset; byte < word_end; ++byte) note(cells[byte % 4]);
    }
    offset = word_end;
  }
  return first;
}

}  // namespace warpgauge::emulator
