// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/unordered_shadow.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/emulator/memory/unordered_cells.hpp"

namespace warpgauge::emulator {
namespace {

using unordered::block_of;
using unordered::by_atomic;
using unordered::Cells;
using unordered::joined;
using unordered::kNoValue;
using unordered::kOneThread;
using unordered::make_note;
using unordered::Note;
using unordered::Value;
using unordered::writes;

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kSegmentBytes = 128;
constexpr std::size_t kSegmentWords = kSegmentBytes / 4;

// Pages that are kept from launch to launch, since making one takes longer than using it.
constexpr std::size_t kMostUnorderedPages = 4096;

// Words of a segment that one block accessed by one instruction of one warp: the threads follow
// from the first one's.
struct Run {
  Note first = 0;           // as if the segment's first word had been accessed too
  std::uint32_t words = 0;  // a bit each
  std::uint8_t words_per_lane = 1;

  [[nodiscard]] Note at(unsigned word) const { return first + word / words_per_lane * kOneThread; }
};

// Most segments are written by one block, or only read by one, in one piece; only others are
// followed by the word, or by the byte.
class Segment {
 public:
  // Values by word of the segment: what was written now, and, of its own, what was before.
  using Values = std::array<Value, kSegmentWords>;

  void add_words(const Run& now, const Values& now_values, Values& values) {
    if (add_run(now)) {
      if (writes(now.first)) {
        for_each_word(now, [&](unsigned word) {
          const bool again = (written_words_ >> word & 1U) != 0;
          values[word] = joined(again ? values[word] : kNoValue, now_values[word]);
        });
        written_words_ |= now.words;
      } else {
        read_words_ |= now.words;
      }
      return;
    }
    expand(kSegmentWords, values);
    const std::size_t cells_a_word = cells_->count() / kSegmentWords;
    for_each_word(now, [&](unsigned word) {
      for (std::size_t i = 0; i < cells_a_word; ++i) {
        cells_->add(word * cells_a_word + i, now.at(word), now_values[word]);
      }
    });
  }

  void add_bytes(std::size_t begin, std::size_t bytes, Note now, Value value,
                 const Values& values) {
    expand(kSegmentBytes, values);
    for (std::size_t byte = begin; byte < begin + bytes; ++byte) cells_->add(byte, now, value);
  }

  // Calls visit(offset in bytes, write, what another block did, whether all wrote the same value
  // and nobody read) for each cell with a race of a pair that may_race.
  template <class MayRace, class Visit>
  void for_each_race(MayRace&& may_race, Visit&& visit) const {
    if (!cells_) return;
    for (std::size_t cell = 0; cell < cells_->count(); ++cell) {
      const auto race = cells_->race(cell, may_race);
      if (!race) continue;
      visit(cell * kSegmentBytes / cells_->count(), race->first, race->second,
            cells_->same_value(cell));
    }
  }

 private:
  template <class Visit>
  static void for_each_word(const Run& run, Visit&& visit) {
    for (std::uint32_t words = run.words; words != 0; words &= words - 1) {
      visit(static_cast<unsigned>(std::countr_zero(words)));
    }
  }

  // False if it does not fit a run.
  [[nodiscard]] bool add_run(const Run& now) {
    if (cells_ || by_atomic(now.first)) return false;
    const std::uint32_t block = block_of(now.first);
    const bool alone = (write_.words == 0 || block_of(write_.first) == block) &&
                       (read_.words == 0 || block_of(read_.first) == block);
    if (!alone) return false;
    const bool is_write = writes(now.first);
    if ((now.words & ~write_.words) == 0 || (!is_write && (now.words & ~read_.words) == 0)) {
      return true;  // is there already
    }
    Run& run = is_write ? write_ : read_;
    if (run.words == 0) {
      run = now;
      return true;
    }
    if (run.first != now.first || run.words_per_lane != now.words_per_lane) return false;
    run.words |= now.words;
    return true;
  }

  void expand(std::size_t count, const Values& values) {
    if (!cells_) {
      cells_ = std::make_unique<Cells>(kSegmentWords);
      for_each_word(write_,
                    [&](unsigned word) { cells_->add(word, write_.at(word), values[word]); });
      for_each_word(read_, [&](unsigned word) { cells_->add(word, read_.at(word), kNoValue); });
      for (std::size_t word = 0; word < kSegmentWords; ++word) {
        if ((read_words_ >> word & 1U) != 0) cells_->set_read(word);
      }
    }
    if (cells_->count() < count) *cells_ = cells_->repeated(count / cells_->count());
  }

  Run write_;
  Run read_;
  std::uint32_t written_words_ = 0;  // so far, of those in write_
  std::uint32_t read_words_ = 0;     // also of those in write_, which are not in read_
  std::unique_ptr<Cells> cells_;     // null: the runs are complete without cells
};

}  // namespace

class UnorderedShadow::Page {
 public:
  std::uint64_t launch = 0;  // in which it was last used
  std::array<Segment, kPageBytes / kSegmentBytes> segments;
  std::array<Segment::Values, kPageBytes / kSegmentBytes> values;  // of words that were written

  // Held for a few instructions, and rarely wanted by two threads at once.
  void lock() {
    while (busy_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag busy_;
};

UnorderedShadow::UnorderedShadow() = default;
UnorderedShadow::~UnorderedShadow() = default;

void UnorderedShadow::begin_launch() {
  ++launch_;
  if (pages_.size() > kMostUnorderedPages) pages_.clear();
  place_by_pc_.clear();
  places_.clear();
  fenced_.clear();
}

void UnorderedShadow::fence(std::uint32_t block) {
  const std::scoped_lock lock(mutex_);
  fenced_.insert(block);
}

UnorderedShadow::Page& UnorderedShadow::page_at(Cursor& cursor, std::uintptr_t address) {
  const std::uintptr_t number = address / kPageBytes;
  auto& cached = cursor.pages_[number % cursor.pages_.size()];
  if (cached.page == nullptr || cached.number != number) {
    const std::scoped_lock lock(mutex_);
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    if (page->launch != launch_) {
      page->launch = launch_;
      page->segments = {};
    }
    cached = {number, page.get()};
  }
  return *cached.page;
}

std::uint32_t UnorderedShadow::place_of(Cursor& cursor, std::uint32_t pc) {
  auto& cached = cursor.places_[pc % cursor.places_.size()];
  if (cached.pc != pc) {
    const std::scoped_lock lock(mutex_);
    const auto [place, is_new] =
        place_by_pc_.try_emplace(pc, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back(pc);
    cached = {pc, place->second};
  }
  return cached.place;
}

// now: of the first lane; the others are its neighbours, each of lane_bytes, whole words.
// digests: of the first lane and the others; null: nothing is known of their values.
void UnorderedShadow::note_range(Cursor& cursor, std::uintptr_t begin, std::size_t bytes,
                                 unsigned lane_bytes, Note now, const std::uint16_t* digests) {
  const unsigned words_per_lane = lane_bytes / 4;
  const std::uintptr_t end = begin + bytes;
  Note lane = now;
  while (begin < end) {
    const std::uintptr_t segment_begin = begin / kSegmentBytes * kSegmentBytes;
    const std::uintptr_t part_end = std::min<std::uintptr_t>(segment_begin + kSegmentBytes, end);
    const auto first_word = static_cast<unsigned>((begin - segment_begin) / 4);
    const auto count = static_cast<unsigned>((part_end - begin) / 4);
    const std::uint32_t words = (count == kSegmentWords ? ~0U : (1U << count) - 1) << first_word;
    Run run{lane - first_word / words_per_lane * kOneThread, words,
            static_cast<std::uint8_t>(words_per_lane)};
    Segment::Values values;
    if (writes(now)) {
      for (unsigned word = 0; word < count; ++word) {
        values[first_word + word] = digests == nullptr ? kNoValue : digests[word / words_per_lane];
      }
    }
    Page& page = page_at(cursor, begin);
    const std::scoped_lock lock(page);
    const std::size_t segment = begin % kPageBytes / kSegmentBytes;
    page.segments[segment].add_words(run, values, page.values[segment]);
    lane += count / words_per_lane * kOneThread;
    if (digests != nullptr) digests += count / words_per_lane;
    begin = part_end;
  }
}

void UnorderedShadow::note(Cursor& cursor, const WarpAccess& access,
                           const LaneAddresses& addresses) {
  if (cursor.launch_ != launch_) {
    cursor = Cursor();
    cursor.launch_ = launch_;
  }
  const std::uint32_t place = place_of(cursor, access.pc);
  const bool is_write = access.kind != RecordKind::load;
  const auto note_of = [&](unsigned lane) {
    return make_note(access.block, place, access.first_thread + lane, access.is_strong(), is_write);
  };
  const auto digests_of = [&](unsigned lane) {
    return access.digests == nullptr ? nullptr : access.digests->data() + lane;
  };
  // Words, at multiples of their size, so that no lane's lie in two segments.
  const auto fits = [&](std::uintptr_t address) {
    return access.bytes % 4 == 0 && std::has_single_bit(access.bytes) &&
           address % access.bytes == 0;
  };
  const auto first = static_cast<unsigned>(std::countr_zero(access.lanes));
  if (access.side_by_side && fits(addresses[first])) {
    const auto count = count_lanes(access.lanes);
    note_range(cursor, addresses[first], std::size_t{count} * access.bytes, access.bytes,
               note_of(first), digests_of(first));
    return;
  }
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    std::uintptr_t begin = addresses[lane];
    if (fits(begin)) {
      note_range(cursor, begin, access.bytes, access.bytes, note_of(lane), digests_of(lane));
      continue;
    }
    const std::uintptr_t end = begin + access.bytes;
    while (begin < end) {
      const std::uintptr_t part_end = std::min((begin / kSegmentBytes + 1) * kSegmentBytes, end);
      Page& page = page_at(cursor, begin);
      const std::scoped_lock lock(page);
      const std::size_t segment = begin % kPageBytes / kSegmentBytes;
      page.segments[segment].add_bytes(begin % kSegmentBytes, part_end - begin, note_of(lane),
                                       access.digest(lane), page.values[segment]);
      begin = part_end;
    }
  }
}

std::vector<GlobalHazard> UnorderedShadow::races() {
  const std::scoped_lock lock(mutex_);
  std::vector<std::pair<std::uintptr_t, const Page*>> pages;
  for (const auto& [number, page] : pages_) {
    if (page->launch == launch_) pages.emplace_back(number, page.get());
  }
  std::sort(pages.begin(), pages.end());
  const auto access = [&](Note note) {
    return GlobalAccess{block_of(note) - 1, places_[unordered::place_of(note)],
                        unordered::thread_of(note), writes(note)};
  };
  const auto may_race = [&](Note first, Note second) {
    return !fenced_.contains(block_of(first) - 1) && !fenced_.contains(block_of(second) - 1);
  };
  std::vector<GlobalHazard> races;
  std::set<std::tuple<std::uint32_t, std::uint32_t, bool>> seen;
  for (const auto& [number, page] : pages) {
    for (std::size_t i = 0; i < page->segments.size(); ++i) {
      const std::uintptr_t begin = number * kPageBytes + i * kSegmentBytes;
      const auto visit = [&](std::size_t offset, Note write, Note other, bool same) {
        const GlobalAccess first = access(write);
        const GlobalAccess second = access(other);
        const bool same_value = same && first.writes && second.writes;
        if (!seen.emplace(std::min(first.pc, second.pc), std::max(first.pc, second.pc), same_value)
                 .second) {
          return;
        }
        races.push_back({first, second, begin + offset, same_value});
      };
      page->segments[i].for_each_race(may_race, visit);
    }
  }
  return races;
}

}  // namespace warpgauge::emulator
