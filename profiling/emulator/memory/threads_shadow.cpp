// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/threads_shadow.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace warpgauge::emulator {

ThreadsShadow::ThreadsShadow() : shadow_(0), pages_(kSlots) {}

void ThreadsShadow::begin_epoch(const SharedShadow& block) {
  shadow_.follow(block);
  epoch_ = block.epoch();
  late_fences_ = 0;
  forget();
  if (!any_fence_) return;
  any_fence_ = false;
  fenced_.fill(0);
  published_.clear();
}

// Nobody has touched anything since the last barrier.
void ThreadsShadow::forget() {
  if (rooms_ == 0) return;
  rooms_ = 0;
  last_ = nullptr;
  if (++time_ != 0) return;
  std::fill(pages_.begin(), pages_.end(), Page());
  time_ = 1;
}

std::uint32_t ThreadsShadow::take_rooms(std::uint32_t count) {
  const std::uint32_t first = rooms_;
  rooms_ += count;
  if (rooms_ > filled_in_.size()) {
    filled_in_.resize(rooms_);
    shadow_.grow(rooms_ * kPageBytes);
    digests_.resize(rooms_ * kPageBytes / 4);
  }
  for (std::uint32_t room = first; room < rooms_; ++room) {
    // Of an earlier epoch, what is noted there is of no consequence.
    if (filled_in_[room] == epoch_) shadow_.forget_words(room * kPageBytes, kPageBytes);
    filled_in_[room] = epoch_;
  }
  return first;
}

// The page, or an empty place for it.
ThreadsShadow::Page& ThreadsShadow::find(std::uintptr_t number) {
  std::size_t slot = number * 0x9e3779b97f4a7c15ULL >> 40;
  for (;; ++slot) {
    Page& page = pages_[slot % kSlots];
    if (page.time != time_ || page.number == number) return page;
  }
}

void ThreadsShadow::go_by_the_byte(Page& page) {
  const std::size_t from = page.room * kPageBytes;
  page.room = take_rooms(4);
  page.scale = 4;
  shadow_.spread(from, kPageBytes, page.room * kPageBytes);
  for (std::size_t word = 0; word < kPageBytes / 4; ++word) {
    set_digest(page.room * kPageBytes / 4 + word * 4, 4, digests_[from / 4 + word]);
  }
}

const ThreadsShadow::Page& ThreadsShadow::page_of(std::uintptr_t address, unsigned bytes) {
  const std::uintptr_t number = address / kPageBytes;
  const bool words = (address | bytes) % 4 == 0;
  if (last_ == nullptr || last_->number != number || (!words && last_->scale == 1)) {
    if (rooms_ + 4 > kMostRooms) forget();
    Page& page = find(number);
    if (page.time != time_) {
      const std::uint32_t scale = words ? 1 : 4;
      page = {number, time_, take_rooms(scale), scale};
    } else if (!words && page.scale == 1) {
      go_by_the_byte(page);
    }
    last_ = &page;
  }
  return *last_;
}

void ThreadsShadow::fence(unsigned first_thread, std::uint32_t lanes) {
  any_fence_ = true;
  fenced_[first_thread / kWarpLanes] |= lanes;
}

// Who reads, by an atomic or volatile access, what another thread published has seen all that
// thread did. That this thread alone has is not followed: all is forgotten.
void ThreadsShadow::hand_over(const ThreadsAccess& access, const LaneAddresses& addresses) {
  bool acquired = false;
  for_each_lane(access.lanes, [&](unsigned lane) {
    const std::uintptr_t word = addresses[lane] / 4;
    const unsigned thread = access.first_thread + lane;
    const auto published = published_.find(word);
    acquired |= access.kind != RecordKind::store && published != published_.end() &&
                published->second != thread;
    const bool fenced = (fenced_[access.first_thread / kWarpLanes] >> lane & 1U) != 0;
    if (access.kind != RecordKind::load && fenced) published_[word] = thread;
  });
  if (acquired) forget();
}

// Of a write to so many words of shadow_.
void ThreadsShadow::set_digest(std::size_t word, std::size_t words, std::uint16_t digest) {
  digests_[word] = digest;
  for (std::size_t i = 1; i < words; ++i) digests_[word + i] = 0;
}

bool ThreadsShadow::note_at_once(const ThreadsAccess& access, const LaneAddresses& addresses,
                                 const LaneDigests& digests, const WarpClocks& clocks) {
  const auto first = static_cast<unsigned>(std::countr_zero(access.lanes));
  const unsigned count = count_lanes(access.lanes);
  const bool same = access.shape == AccessPattern::Shape::same;
  const std::uintptr_t begin = addresses[first];
  const std::size_t extent = same ? access.bytes : std::size_t{count} * access.bytes;
  if (begin / kPageBytes != (begin + extent - 1) / kPageBytes) return false;
  const Page& page = page_of(begin, access.bytes);
  const std::size_t offset = page.room * kPageBytes + begin % kPageBytes * page.scale;
  const unsigned bytes = access.bytes * page.scale;
  const unsigned thread = access.first_thread + first;
  if (same) {
    return access.kind == RecordKind::load && bytes == 4 && access.lanes == ~0U &&
           shadow_.load_same_word(offset, thread, count, access.site, clocks);
  }
  if (!shadow_.access_side_by_side(offset, bytes, thread, count, access.kind, access.site,
                                   clocks)) {
    return false;
  }
  if (access.kind == RecordKind::load) return true;
  for (unsigned i = 0; i < count; ++i) {
    set_digest(offset / 4 + std::size_t{i} * bytes / 4, bytes / 4, digests[first + i]);
  }
  return true;
}

ThreadsShadow::Found ThreadsShadow::note_part(const ThreadsAccess& access, unsigned thread,
                                              std::uintptr_t address, unsigned bytes,
                                              std::uint16_t digest, const WarpClocks& clocks) {
  const bool atomic = access.kind == RecordKind::atomic || access.is_volatile;
  const Page& page = page_of(address, bytes);
  const std::size_t offset = page.room * kPageBytes + address % kPageBytes * page.scale;
  bytes *= page.scale;
  if (!atomic && bytes == 4 &&
      shadow_.access_word(offset, thread, access.kind, access.site, clocks)) {
    if (access.kind == RecordKind::store) digests_[offset / 4] = digest;
    return {};
  }
  Found found;
  found.hazard = shadow_.access(offset, bytes, thread, access.kind, atomic, access.site, clocks);
  if (access.kind == RecordKind::load) return found;
  const std::uint16_t known = atomic ? std::uint16_t{0} : digest;
  found.same_value = found.hazard && found.hazard->kind == Hazard::Kind::write_after_write &&
                     known != 0 && known == digests_[offset / 4];
  set_digest(offset / 4, bytes / 4, known);
  return found;
}

ThreadsShadow::Found ThreadsShadow::note_lane(const ThreadsAccess& access, unsigned lane,
                                              std::uintptr_t address, std::uint16_t digest,
                                              const WarpClocks& clocks) {
  const unsigned thread = access.first_thread + lane;
  const auto room = static_cast<unsigned>(kPageBytes - address % kPageBytes);
  if (access.bytes <= room) {
    return note_part(access, thread, address, access.bytes, digest, clocks);
  }
  const Found found = note_part(access, thread, address, room, 0, clocks);
  const Found beyond = note_part(access, thread, address + room, access.bytes - room, 0, clocks);
  return found.hazard ? found : beyond;
}

}  // namespace warpgauge::emulator
