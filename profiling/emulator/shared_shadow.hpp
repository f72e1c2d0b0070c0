// SPDX-License-Identifier: Apache-2.0
// A shadow of a block's shared memory: who touched each word last, to find races and reads of what
// was never written. Offsets are bytes from the start of shared memory; it knows no addresses.
//
// It remembers the last write and two reads of a word, so it may miss a race but never makes one
// up. Words accessed by the byte or half word are followed byte by byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiling/emulator/trace.hpp"
#include "profiling/emulator/warp_clocks.hpp"

namespace warpgauge::emulator {

struct Hazard {
  enum class Kind { read_after_write, write_after_read, write_after_write, uninitialized_read };
  Kind kind = Kind::read_after_write;
  std::uint32_t earlier_pc = 0;  // not for uninitialized_read
  unsigned earlier_thread = 0;   // not for uninitialized_read
};

class SharedShadow {
 public:
  explicit SharedShadow(std::size_t bytes) : words_((bytes + 3) / 4 + 4) {}

  // Nothing is initialized in a new block.
  void begin_block() {
    ++block_;
    ++epoch_;
    split_words_.clear();
  }

  // All threads of the block have met: what came before is ordered before what follows.
  void block_barrier() { ++epoch_; }

  // Notes an access by `thread` and returns the first hazard with an earlier one, if any.
  std::optional<Hazard> access(std::size_t offset, unsigned bytes, unsigned thread, RecordKind kind,
                               std::uint32_t pc, const WarpClocks& clocks);

 private:
  struct Access {
    std::uint32_t epoch = 0;
    std::uint32_t pc = 0;
    std::uint32_t time = 0;
    std::uint16_t thread = 0;
    bool atomic = false;
  };
  struct Cell {
    Access write;
    std::array<Access, 2> reads;  // by different threads, the latest first
    std::uint32_t written_in_block = 0;
  };
  struct Word {
    Cell cell;
    std::uint32_t split_in_block = 0;  // the block in which `split` is meant
    std::uint32_t split = 0;           // index of its bytes in split_words_
  };

  [[nodiscard]] bool conflicts(const Access& earlier, const Access& now,
                               const WarpClocks& clocks) const;
  std::optional<Hazard> access_cell(Cell& cell, const Access& now, RecordKind kind,
                                    const WarpClocks& clocks);
  std::array<Cell, 4>& split(Word& word);

  std::vector<Word> words_;
  std::vector<std::array<Cell, 4>> split_words_;
  std::uint32_t block_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace warpgauge::emulator
