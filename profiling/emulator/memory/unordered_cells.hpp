// SPDX-License-Identifier: Apache-2.0
// What unordered blocks did to each word, or byte, of some global memory. Knows no addresses.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "profiling/emulator/execution/lanes/trace.hpp"

namespace warpgauge::emulator::unordered {

// Block plus one (32 bits), place (20), thread (10), whether it is atomic or volatile (1), whether
// it writes (1). 0: nobody.
using Note = std::uint64_t;

inline constexpr unsigned kThreadShift = 2;
inline constexpr unsigned kPlaceShift = 12;
inline constexpr Note kOneThread = Note{1} << kThreadShift;

[[nodiscard]] constexpr Note make_note(std::uint32_t block, std::uint32_t place, unsigned thread,
                                       bool atomic, bool writes) {
  return (Note{block} + 1) << 32 | Note{place} << kPlaceShift | Note{thread} << kThreadShift |
         Note{atomic} << 1 | Note{writes};
}
[[nodiscard]] constexpr std::uint32_t block_of(Note note) {
  return static_cast<std::uint32_t>(note >> 32);
}
[[nodiscard]] constexpr std::uint32_t place_of(Note note) {
  return static_cast<std::uint32_t>(note) >> kPlaceShift;
}
[[nodiscard]] constexpr std::uint16_t thread_of(Note note) {
  return static_cast<std::uint16_t>(note >> kThreadShift & 0x3ff);
}
[[nodiscard]] constexpr bool by_atomic(Note note) { return (note & 2U) != 0; }
[[nodiscard]] constexpr bool writes(Note note) { return (note & 1U) != 0; }

// What was written to a place, by anybody: a digest (see trace.hpp), or one of these.
using Value = std::uint16_t;
inline constexpr Value kNoValue = 0;
inline constexpr Value kSeveralValues = 1;  // or one that is not known

[[nodiscard]] constexpr Value joined(Value before, Value now) {
  if (now == kNoValue) now = kSeveralValues;
  return before == kNoValue || before == now ? now : kSeveralValues;
}
[[nodiscard]] constexpr bool is_one_value(Value value) { return (value & kKnownDigest) != 0; }

// Of words, or of bytes: the write of the lowest block, and what the two lowest blocks did first,
// unless it is that write; the same of atomic accesses, which do not race with each other; what was
// written; whether anybody read. Notes of nobody take no memory.
class Cells {
 public:
  explicit Cells(std::size_t count = 0) : count_(count), values_(count), read_(count) {}

  [[nodiscard]] std::size_t count() const { return count_; }

  [[nodiscard]] bool same_value(std::size_t cell) const {
    return is_one_value(values_[cell]) && read_[cell] == 0;
  }

  void add(std::size_t cell, Note now, Value value) {
    if (writes(now)) {
      values_[cell] = joined(values_[cell], value);
    } else {
      read_[cell] = 1;
    }
    add_note(cell, now);
  }

  void set_read(std::size_t cell) { read_[cell] = 1; }

  // The write and what another block did, if there is such a pair that may_race(write, other).
  template <class MayRace>
  [[nodiscard]] std::optional<std::pair<Note, Note>> race(std::size_t cell,
                                                          MayRace&& may_race) const {
    const auto races = [&](Note write, Note other) {
      return writes(write) && other != 0 && block_of(other) != block_of(write) &&
             may_race(write, other);
    };
    for (const std::size_t which : {kLowest, kNext}) {
      const Note write = get(kWrite, cell);
      if (const Note other = get(which, cell); races(write, other)) return std::pair(write, other);
    }
    if (notes_[kAtomic].empty() && notes_[kAtomic + kLowest].empty()) return std::nullopt;
    for (const std::size_t which : {kWrite, kLowest, kNext}) {
      for (const std::size_t atomic : {kWrite, kLowest, kNext}) {
        const Note plain = get(which, cell);
        const Note other = get(kAtomic + atomic, cell);
        if (plain == 0) continue;
        if (races(plain, other)) return std::pair(plain, other);
        if (races(other, plain)) return std::pair(other, plain);
      }
    }
    return std::nullopt;
  }

  // The same, each cell `times` times.
  [[nodiscard]] Cells repeated(std::size_t times) const {
    Cells result(count_ * times);
    for (std::size_t cell = 0; cell < result.count_; ++cell) {
      result.values_[cell] = values_[cell / times];
      result.read_[cell] = read_[cell / times];
    }
    for (std::size_t which = 0; which < notes_.size(); ++which) {
      for (const Note note : notes_[which]) {
        result.notes_[which].insert(result.notes_[which].end(), times, note);
      }
    }
    return result;
  }

 private:
  enum : std::size_t { kWrite, kLowest, kNext, kAtomic };  // kAtomic: the first of their three

  void add_note(std::size_t cell, Note now) {
    const std::size_t of = by_atomic(now) ? kAtomic : kWrite;
    const Note write = get(of, cell);
    if (writes(now)) {
      if (block_of(write) == block_of(now)) return;
      if (write == 0 || block_of(now) < block_of(write)) now = put(of, cell, now);
    } else if (write != 0 && block_of(write) == block_of(now)) {
      return;
    }
    for (const std::size_t which : {kLowest, kNext}) {
      if (now == 0) return;
      const Note kept = get(of + which, cell);
      if (block_of(kept) == block_of(now)) return;
      if (kept == 0 || block_of(now) < block_of(kept)) now = put(of + which, cell, now);
    }
  }

  [[nodiscard]] Note get(std::size_t which, std::size_t cell) const {
    return notes_[which].empty() ? 0 : notes_[which][cell];
  }
  Note put(std::size_t which, std::size_t cell, Note now) {
    if (notes_[which].empty()) notes_[which].resize(count_);
    return std::exchange(notes_[which][cell], now);
  }

  std::size_t count_;
  std::array<std::vector<Note>, 6> notes_;
  std::vector<Value> values_;
  std::vector<std::uint8_t> read_;
};

}  // namespace warpgauge::emulator::unordered
