// SPDX-License-Identifier: Apache-2.0
// A shadow of a block's shared memory: who touched each word last, to find races and uninitialized
// reads. Offsets are bytes from the start of shared memory; this class knows no addresses.
//
// It remembers the last write and two reads of a word, so it may miss a race but never reports a
// false one. Words accessed by byte or half word are tracked byte by byte.
//
// ThreadsShadow uses it for what a block touches of global memory, too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/execution/warp_clocks.hpp"

namespace warpgauge::emulator {

struct Hazard {
  enum class Kind { read_after_write, write_after_read, write_after_write, uninitialized_read };
  Kind kind = Kind::read_after_write;
  std::uint32_t earlier_site = 0;  // not for uninitialized_read
  unsigned earlier_thread = 0;     // not for uninitialized_read
};

class SharedShadow {
 public:
  // Of accesses. Sites are numbers, below this one.
  static constexpr std::uint32_t kMostSites = 1U << 21;

  explicit SharedShadow(std::size_t bytes);

  // Nothing is initialized in a new block.
  void begin_block();

  // A barrier of all threads: earlier accesses are ordered before later ones.
  void block_barrier() { epoch_ = next_stamp(); }

  // The start of the current epoch, which is the block's start or its last barrier.
  [[nodiscard]] std::uint32_t epoch() const { return epoch_; }

  // For a warp that synchronizes.
  [[nodiscard]] std::uint32_t next_stamp() { return ++stamp_; }

  // Has the times of another shadow, until the next call. Without begin_block(), all memory counts
  // as initialized.
  void follow(const SharedShadow& other);

  // Makes room for so many bytes.
  void grow(std::size_t bytes);

  // Each word of `bytes` bytes at `from` becomes four at `to`, touched by the same.
  void spread(std::size_t from, std::size_t bytes, std::size_t to);

  // Another block has written these bytes, which are initialized from now on.
  void initialize(std::size_t offset, std::size_t bytes);

  // Nobody has touched these words.
  void forget_words(std::size_t offset, std::size_t bytes);

  // Notes an access by `thread` and returns the first hazard with an earlier one, if any.
  std::optional<Hazard> access(std::size_t offset, unsigned bytes, unsigned thread, RecordKind kind,
                               std::uint32_t site, const WarpClocks& clocks) {
    return access(offset, bytes, thread, kind, kind == RecordKind::atomic, site, clocks);
  }

  // atomic: the access does not race with others like it.
  std::optional<Hazard> access(std::size_t offset, unsigned bytes, unsigned thread, RecordKind kind,
                               bool atomic, std::uint32_t site, const WarpClocks& clocks);

  // The same for a load or store of an aligned word. If there may be a hazard, notes nothing and
  // returns false.
  [[nodiscard]] bool access_word(std::size_t offset, unsigned thread, RecordKind kind,
                                 std::uint32_t site, const WarpClocks& clocks) {
    const std::size_t word = offset / 4;
    const std::uint32_t stamp = std::max(clocks.now(thread % kWarpLanes), epoch_);
    const Access now = make_access(stamp, site, thread, false);
    const Access epoch = begin_of(epoch_);
    const Access write = writes_[word];
    const Access read = last_reads_[word];
    if (!split_words_.empty() || (write >= epoch && !of_one_thread(write, now))) return false;
    if (kind == RecordKind::load) {
      if (write < begin_of(block_)) return false;
      if (read >= epoch && !of_one_thread(read, now)) other_reads_[word] = read;
      last_reads_[word] = now;
      return true;
    }
    if (read >= epoch && (!of_one_thread(read, now) || (other_reads_[word] >= epoch &&
                                                        !of_one_thread(other_reads_[word], now)))) {
      return false;
    }
    writes_[word] = now;
    return true;
  }

  // The same, but faster, for loads and stores of 4, 8 or 16 bytes by `lanes` threads side by side,
  // the first at `offset`, aligned to their size. If there may be a hazard, or the lanes' times
  // differ, notes nothing and returns false; then check each thread separately.
  [[nodiscard]] bool access_side_by_side(std::size_t offset, unsigned bytes, unsigned first_thread,
                                         unsigned lanes, RecordKind kind, std::uint32_t site,
                                         const WarpClocks& clocks);

  // The same, for loads of one and the same word.
  [[nodiscard]] bool load_same_word(std::size_t offset, unsigned first_thread, unsigned lanes,
                                    std::uint32_t site, const WarpClocks& clocks);

 private:
  // An access in one word, so that many are compared at once: stamp (32 bits), site (21), thread
  // (10), whether it is atomic (1). Later ones are greater. Stamps stay below 2^31.
  using Access = std::uint64_t;
  static constexpr unsigned kThreadShift = 1;
  static constexpr unsigned kSiteShift = 11;
  static constexpr Access kThreadMask = Access{0x3ff} << kThreadShift;
  static constexpr Access kOneThread = Access{1} << kThreadShift;

  [[nodiscard]] static constexpr Access make_access(std::uint32_t stamp, std::uint32_t site,
                                                    unsigned thread, bool atomic) {
    return Access{stamp} << 32 | Access{site} << kSiteShift | Access{thread} << kThreadShift |
           Access{atomic};
  }
  [[nodiscard]] static constexpr bool of_one_thread(Access a, Access b) {
    return ((a ^ b) & kThreadMask) == 0;
  }
  [[nodiscard]] static constexpr Access begin_of(std::uint32_t stamp) {
    return Access{stamp} << 32;
  }

  struct Cell {
    Access write = 0;
    std::array<Access, 2> reads{};  // by different threads, the latest first
  };

  [[nodiscard]] static unsigned thread_of(Access access);
  [[nodiscard]] bool conflicts(Access earlier, Access now, const WarpClocks& clocks) const;
  [[nodiscard]] std::optional<Hazard> access_cell(Cell& cell, Access now, RecordKind kind,
                                                  const WarpClocks& clocks) const;
  [[nodiscard]] std::array<Cell, 4>& split(std::size_t word);
  template <unsigned WordsPerLane>
  [[nodiscard]] bool load_words(std::size_t word, unsigned lanes, Access now);
  template <unsigned WordsPerLane>
  [[nodiscard]] bool store_words(std::size_t word, unsigned lanes, Access now);

  // By word, side by side.
  std::vector<Access> writes_;
  std::vector<Access> last_reads_;
  std::vector<Access> other_reads_;  // the one before by another thread
  // Words of this block that are followed by the byte.
  std::unordered_map<std::size_t, std::array<Cell, 4>> split_words_;
  std::uint32_t stamp_ = 0;
  std::uint32_t block_ = 0;  // its first stamp
  std::uint32_t epoch_ = 0;
};

}  // namespace warpgauge::emulator
