// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/ordered_shadow.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpgauge::emulator {
namespace {

// Pages that are kept from launch to launch, since making one takes longer than using it.
constexpr std::size_t kMostOrderedPages = 1024;

}  // namespace

void BlockTimes::cover(std::size_t first, std::size_t end) {
  if (times_.empty()) first_ = first;
  if (first < first_) {
    times_.insert(times_.begin(), first_ - first, 0);
    first_ = first;
  }
  if (end - first_ > times_.size()) times_.resize(end - first_);
}

void BlockTimes::raise(std::uint32_t block, std::uint32_t time) {
  cover(block, std::size_t{block} + 1);
  std::uint32_t& known = times_[block - first_];
  known = std::max(known, time);
}

void BlockTimes::join(const BlockTimes& others) {
  if (others.empty()) return;
  cover(others.first_, others.first_ + others.times_.size());
  for (std::size_t i = 0; i < others.times_.size(); ++i) {
    std::uint32_t& known = times_[others.first_ - first_ + i];
    known = std::max(known, others.times_[i]);
  }
}

void OrderedShadow::begin_launch() {
  ++launch_;
  if (pages_.size() > kMostOrderedPages) pages_.clear();
  last_page_ = nullptr;
  clocks_.clear();
  published_at_.clear();
}

OrderedShadow::Page& OrderedShadow::page_at(std::uintptr_t address) {
  const std::uintptr_t number = address / kPageBytes;
  if (last_page_ == nullptr || number != last_page_number_) {
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    if (page->launch != launch_) *page = Page{.launch = launch_, .writes = {}, .others = {}};
    last_page_number_ = number;
    last_page_ = page.get();
  }
  return *last_page_;
}

OrderedShadow::Note& OrderedShadow::at(const Page& page, Notes& notes, std::size_t cell) {
  if (notes.empty()) notes.resize(kPageBytes / page.cell_bytes);
  return notes[cell];
}

void OrderedShadow::split(Page& page) {
  for (Notes* notes : {&page.writes, &page.others[0], &page.others[1]}) {
    Notes of_bytes;
    for (const Note& note : *notes) of_bytes.insert(of_bytes.end(), page.cell_bytes, note);
    *notes = std::move(of_bytes);
  }
  page.cell_bytes = 1;
}

void OrderedShadow::begin_block(std::uint32_t block) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(clocks_, [&](const auto& clock) { return clock.first != block; });
}

void OrderedShadow::begin_cluster() {
  const std::scoped_lock lock(mutex_);
  clocks_.clear();
}

void OrderedShadow::tell(std::uint32_t block, BlockTimes& all) {
  const std::scoped_lock lock(mutex_);
  Clock& clock = clocks_[block];
  all.join(clock.known);
  all.raise(block, clock.time++);
}

void OrderedShadow::learn(std::uint32_t block, const BlockTimes& all) {
  const std::scoped_lock lock(mutex_);
  clocks_[block].known.join(all);
}

std::uint32_t OrderedShadow::now(std::uint32_t block) {
  const std::scoped_lock lock(mutex_);
  return clocks_[block].time;
}

bool OrderedShadow::knows(std::uint32_t block, std::uint32_t other, std::uint32_t time) {
  const std::scoped_lock lock(mutex_);
  return clocks_[block].known.of(other) >= time;
}

bool OrderedShadow::conflict(const Note& earlier, const Note& now) const {
  if (earlier.block_plus_one == 0 || earlier.block_plus_one == now.block_plus_one) return false;
  if (earlier.atomic != 0 && now.atomic != 0) return false;
  if (earlier.grid_barriers != now.grid_barriers) return false;
  const auto clock = clocks_.find(now.block_plus_one - 1);
  const std::uint32_t block = earlier.block_plus_one - 1;
  return clock == clocks_.end() || clock->second.known.of(block) < earlier.time;
}

GlobalHazard OrderedShadow::hazard(const Note& first, const Note& second, std::uintptr_t address) {
  const auto access = [](const Note& note) {
    return GlobalAccess{note.block_plus_one - 1, note.pc, note.thread, note.writes != 0};
  };
  const bool same_value = first.writes != 0 && second.writes != 0 && first.digest != 0 &&
                          first.digest == second.digest && !first.read_too;
  return {access(first), access(second), address, same_value};
}

void OrderedShadow::note_in_order(Page& page, std::size_t cell, const Note& now,
                                  std::uintptr_t address,
                                  std::optional<GlobalHazard>& found) const {
  const auto find = [&](const Notes& notes) {
    if ((found && !found->same_value) || notes.empty() || !conflict(notes[cell], now)) return;
    const GlobalHazard next = hazard(notes[cell], now, address);
    if (!found || !next.same_value) found = next;
  };
  find(page.writes);
  if (now.writes != 0) {
    Note& write = at(page, page.writes, cell);
    bool read_too = write.block_plus_one == now.block_plus_one && write.read_too;
    for (Notes& reads : page.others) {
      find(reads);
      if (reads.empty()) continue;
      read_too |= reads[cell].block_plus_one == now.block_plus_one;
      reads[cell] = Note();
    }
    write = now;
    write.read_too = read_too;
    return;
  }
  Note& latest = at(page, page.others[0], cell);
  if (latest.block_plus_one != 0 && latest.block_plus_one != now.block_plus_one) {
    at(page, page.others[1], cell) = latest;
  }
  latest = now;
}

std::optional<GlobalHazard> OrderedShadow::note(const WarpAccess& access,
                                                const LaneAddresses& addresses) {
  const std::scoped_lock lock(mutex_);
  const bool atomic = access.is_strong();
  const auto clock = clocks_.empty() ? clocks_.end() : clocks_.find(access.block);
  Note now;
  now.block_plus_one = access.block + 1;
  now.pc = access.pc;
  now.time = clock == clocks_.end() ? 1 : clock->second.time;
  now.grid_barriers = access.grid_barriers & 0x3fffU;
  now.atomic = atomic ? 1 : 0;
  now.writes = access.kind != RecordKind::load ? 1 : 0;
  std::optional<GlobalHazard> found;
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    now.thread = static_cast<std::uint16_t>(access.first_thread + lane);
    now.digest = atomic ? std::uint16_t{0} : access.digest(lane);
    const std::uintptr_t end = addresses[lane] + access.bytes;
    if (atomic) {
      for (std::uintptr_t word = addresses[lane] / 4; word <= (end - 1) / 4; ++word) {
        synchronize(access.block, word, access.kind != RecordKind::store,
                    access.kind != RecordKind::load);
      }
    }
    for (std::uintptr_t where = addresses[lane]; where < end;) {
      Page& page = page_at(where);
      if (page.cell_bytes > 1 && (where % 4 != 0 || end - where < 4)) split(page);
      const std::size_t cell = where % kPageBytes / page.cell_bytes;
      note_in_order(page, cell, now, where, found);
      where += page.cell_bytes;
    }
  }
  return found;
}

void OrderedShadow::fence(std::uint32_t block) {
  const std::scoped_lock lock(mutex_);
  Clock& clock = clocks_[block];
  clock.published = clock.known;
  clock.published.raise(block, clock.time++);
}

void OrderedShadow::synchronize(std::uint32_t block, std::uintptr_t word, bool acquires,
                                bool releases) {
  if (acquires) {
    const auto published = published_at_.find(word);
    if (published != published_at_.end()) clocks_[block].known.join(published->second);
  }
  if (releases) {
    const auto clock = clocks_.find(block);
    if (clock != clocks_.end() && !clock->second.published.empty()) {
      published_at_[word].join(clock->second.published);
    }
  }
}

}  // namespace warpgauge::emulator
