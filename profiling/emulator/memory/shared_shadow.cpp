// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/shared_shadow.hpp"

#include <algorithm>

namespace warpgauge::emulator {
namespace {

// Two writes may be harmless because their values are equal, so other hazards come first.
bool before(const std::optional<Hazard>& known, Hazard::Kind found) {
  return !known || (known->kind == Hazard::Kind::write_after_write &&
                    found != Hazard::Kind::write_after_write);
}

using PackedAccess = std::uint64_t;

// Beyond that, stamps start again with the next block.
constexpr std::uint32_t kMostStamps = 1U << 30;

constexpr bool is_atomic(PackedAccess access) { return (access & 1U) != 0; }
constexpr std::uint32_t stamp_of(PackedAccess access) {
  return static_cast<std::uint32_t>(access >> 32);
}
// Accesses are below 2^63, so the difference's sign shows which is smaller, many at a time.
constexpr bool is_negative(PackedAccess difference) { return difference >> 63 != 0; }

}  // namespace

SharedShadow::SharedShadow(std::size_t bytes)
    : writes_((bytes + 3) / 4 + 4), last_reads_(writes_.size()), other_reads_(writes_.size()) {}

void SharedShadow::follow(const SharedShadow& other) {
  if (other.stamp_ < stamp_) {
    for (auto* accesses : {&writes_, &last_reads_, &other_reads_}) {
      std::fill(accesses->begin(), accesses->end(), 0);
    }
  }
  stamp_ = other.stamp_;
  if (epoch_ == other.epoch_) return;
  epoch_ = other.epoch_;
  split_words_.clear();
}

void SharedShadow::grow(std::size_t bytes) {
  for (auto* accesses : {&writes_, &last_reads_, &other_reads_}) {
    accesses->resize(std::max(accesses->size(), (bytes + 3) / 4 + 4));
  }
}

void SharedShadow::spread(std::size_t from, std::size_t bytes, std::size_t to) {
  for (auto* accesses : {&writes_, &last_reads_, &other_reads_}) {
    for (std::size_t i = 0; i < bytes; ++i) (*accesses)[to / 4 + i] = (*accesses)[(from + i) / 4];
  }
}

void SharedShadow::forget_words(std::size_t offset, std::size_t bytes) {
  for (auto* accesses : {&writes_, &last_reads_, &other_reads_}) {
    std::fill_n(accesses->begin() + static_cast<std::ptrdiff_t>(offset / 4), bytes / 4, 0);
  }
}

void SharedShadow::begin_block() {
  if (stamp_ >= kMostStamps) {
    stamp_ = 0;
    for (auto* accesses : {&writes_, &last_reads_, &other_reads_}) {
      std::fill(accesses->begin(), accesses->end(), 0);
    }
  }
  block_ = next_stamp();
  epoch_ = next_stamp();
  split_words_.clear();
}

void SharedShadow::initialize(std::size_t offset, std::size_t bytes) {
  const PackedAccess written = begin_of(block_);
  for (const std::size_t end = offset + bytes; offset < end;) {
    const std::size_t word = offset / 4;
    const std::size_t word_end = std::min(word * 4 + 4, end);
    if (word_end - offset == 4 && !split_words_.contains(word)) {
      writes_[word] = std::max(writes_[word], written);
    } else {
      auto& cells = split(word);
      for (std::size_t byte = offset; byte < word_end; ++byte) {
        cells[byte % 4].write = std::max(cells[byte % 4].write, written);
      }
    }
    offset = word_end;
  }
}

unsigned SharedShadow::thread_of(PackedAccess access) {
  return static_cast<unsigned>((access & kThreadMask) >> kThreadShift);
}

bool SharedShadow::conflicts(PackedAccess earlier, PackedAccess now,
                             const WarpClocks& clocks) const {
  if (earlier < begin_of(epoch_) || of_one_thread(earlier, now)) return false;
  if (is_atomic(earlier) && is_atomic(now)) return false;
  const unsigned before = thread_of(earlier);
  const unsigned after = thread_of(now);
  if (before / kWarpLanes == after / kWarpLanes &&
      clocks.ordered(after % kWarpLanes, before % kWarpLanes, stamp_of(earlier))) {
    return false;
  }
  return !clocks.ordered_by_barriers(after, before, stamp_of(earlier));
}

std::optional<Hazard> SharedShadow::access_cell(Cell& cell, PackedAccess now, RecordKind kind,
                                                const WarpClocks& clocks) const {
  using Kind = Hazard::Kind;
  std::optional<Hazard> hazard;
  const auto find = [&](Kind found, PackedAccess earlier) {
    if (before(hazard, found)) {
      hazard = Hazard{found, static_cast<std::uint32_t>(earlier) >> kSiteShift, thread_of(earlier)};
    }
  };
  const bool reads = kind != RecordKind::store;
  const bool writes = kind != RecordKind::load;

  if (reads && cell.write < begin_of(block_)) find(Kind::uninitialized_read, {});
  if (conflicts(cell.write, now, clocks)) {
    find(writes ? Kind::write_after_write : Kind::read_after_write, cell.write);
  }
  if (writes) {
    for (const PackedAccess read : cell.reads) {
      if (conflicts(read, now, clocks)) find(Kind::write_after_read, read);
    }
    cell.write = now;
  }
  if (reads) {
    if (!of_one_thread(cell.reads[0], now) || cell.reads[0] < begin_of(epoch_)) {
      cell.reads[1] = cell.reads[0];
    }
    cell.reads[0] = now;
  }
  return hazard;
}

std::array<SharedShadow::Cell, 4>& SharedShadow::split(std::size_t word) {
  const Cell whole{writes_[word], {last_reads_[word], other_reads_[word]}};
  return split_words_.try_emplace(word, std::array{whole, whole, whole, whole}).first->second;
}

std::optional<Hazard> SharedShadow::access(std::size_t offset, unsigned bytes, unsigned thread,
                                           RecordKind kind, bool atomic, std::uint32_t site,
                                           const WarpClocks& clocks) {
  const std::uint32_t stamp = std::max(clocks.now(thread % kWarpLanes), epoch_);
  const PackedAccess now = make_access(stamp, site, thread, atomic);
  std::optional<Hazard> first;
  const auto note = [&](Cell& cell) {
    const auto hazard = access_cell(cell, now, kind, clocks);
    if (hazard && before(first, hazard->kind)) first = hazard;
  };
  const std::size_t end = offset + bytes;
  while (offset < end) {
    const std::size_t word = offset / 4;
    const std::size_t word_end = std::min(word * 4 + 4, end);
    if (word_end - offset == 4 && (split_words_.empty() || !split_words_.contains(word))) {
      Cell cell{writes_[word], {last_reads_[word], other_reads_[word]}};
      note(cell);
      writes_[word] = cell.write;
      last_reads_[word] = cell.reads[0];
      other_reads_[word] = cell.reads[1];
    } else {
      auto& cells = split(word);
      for (std::size_t byte = offset; byte < word_end; ++byte) note(cells[byte % 4]);
    }
    offset = word_end;
  }
  return first;
}

template <unsigned WordsPerLane>
bool SharedShadow::load_words(std::size_t word, unsigned lanes, PackedAccess now) {
  const unsigned count = lanes * WordsPerLane;
  const PackedAccess epoch = begin_of(epoch_);
  const PackedAccess block = begin_of(block_);
  const PackedAccess* writes = &writes_[word];
  PackedAccess* last_reads = &last_reads_[word];
  PackedAccess* other_reads = &other_reads_[word];
  PackedAccess written = 0;                    // negative: some word was not, in this block
  PackedAccess old_writes = ~PackedAccess{0};  // negative: none are of this epoch
  PackedAccess old_reads = ~PackedAccess{0};   // likewise
  for (unsigned i = 0; i < count; ++i) {
    written |= writes[i] - block;
    old_writes &= writes[i] - epoch;
    old_reads &= last_reads[i] - epoch;
  }
  if (is_negative(written)) return false;
  const auto by_lane = [&](unsigned i) { return now + i / WordsPerLane * kOneThread; };
  if (!is_negative(old_writes)) {
    for (unsigned i = 0; i < count; ++i) {
      if (writes[i] >= epoch && !of_one_thread(writes[i], by_lane(i))) return false;
    }
  }
  if (is_negative(old_reads)) {
    for (unsigned i = 0; i < count; ++i) last_reads[i] = by_lane(i);
    return true;
  }
  for (unsigned i = 0; i < count; ++i) {
    const PackedAccess read = last_reads[i];
    if (read >= epoch && !of_one_thread(read, by_lane(i))) other_reads[i] = read;
    last_reads[i] = by_lane(i);
  }
  return true;
}

template <unsigned WordsPerLane>
bool SharedShadow::store_words(std::size_t word, unsigned lanes, PackedAccess now) {
  const unsigned count = lanes * WordsPerLane;
  const PackedAccess epoch = begin_of(epoch_);
  PackedAccess* writes = &writes_[word];
  const PackedAccess* last_reads = &last_reads_[word];
  const PackedAccess* other_reads = &other_reads_[word];
  PackedAccess old = ~PackedAccess{0};
  for (unsigned i = 0; i < count; ++i) old &= (writes[i] - epoch) & (last_reads[i] - epoch);
  const auto by_lane = [&](unsigned i) { return now + i / WordsPerLane * kOneThread; };
  if (!is_negative(old)) {
    for (unsigned i = 0; i < count; ++i) {
      for (const PackedAccess earlier : {writes[i], last_reads[i], other_reads[i]}) {
        if (earlier >= epoch && !of_one_thread(earlier, by_lane(i))) return false;
      }
    }
  }
  for (unsigned i = 0; i < count; ++i) writes[i] = by_lane(i);
  return true;
}

bool SharedShadow::access_side_by_side(std::size_t offset, unsigned bytes, unsigned first_thread,
                                       unsigned lanes, RecordKind kind, std::uint32_t site,
                                       const WarpClocks& clocks) {
  if (!split_words_.empty() || !clocks.uniform() || offset % 4 != 0) return false;
  const std::uint32_t stamp = std::max(clocks.now(0), epoch_);
  const PackedAccess now = make_access(stamp, site, first_thread, false);
  const std::size_t word = offset / 4;
  const bool loads = kind == RecordKind::load;
  switch (bytes) {
    case 4:
      return loads ? load_words<1>(word, lanes, now) : store_words<1>(word, lanes, now);
    case 8:
      return loads ? load_words<2>(word, lanes, now) : store_words<2>(word, lanes, now);
    case 16:
      return loads ? load_words<4>(word, lanes, now) : store_words<4>(word, lanes, now);
    default:
      return false;
  }
}

bool SharedShadow::load_same_word(std::size_t offset, unsigned first_thread, unsigned lanes,
                                  std::uint32_t site, const WarpClocks& clocks) {
  if (!split_words_.empty() || !clocks.uniform() || offset % 4 != 0 || lanes < 2) return false;
  const std::size_t word = offset / 4;
  if (writes_[word] < begin_of(block_) || writes_[word] >= begin_of(epoch_)) return false;
  const std::uint32_t stamp = std::max(clocks.now(0), epoch_);
  last_reads_[word] = make_access(stamp, site, first_thread + lanes - 1, false);
  other_reads_[word] = make_access(stamp, site, first_thread + lanes - 2, false);
  return true;
}

}  // namespace warpgauge::emulator
