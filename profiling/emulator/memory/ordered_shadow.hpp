// SPDX-License-Identifier: Apache-2.0
// Tracks who touched each word of global memory, for blocks that run one after the other or in
// turns because they communicate. Two blocks are ordered if one publishes, by __threadfence and
// then an atomic or volatile access, and the other acquires, by an atomic or volatile access to the
// same address. Implemented by vector clocks, one per block. A barrier of the grid orders all
// blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/memory/global_access.hpp"

namespace warpgauge::emulator {

// Times of blocks' actions, by block; 0 of those that it does not know. Its length is the distance
// between the outermost blocks that it knows, and not the grid's.
class BlockTimes {
 public:
  [[nodiscard]] bool empty() const { return times_.empty(); }
  [[nodiscard]] std::uint32_t of(std::uint32_t block) const {
    const std::size_t i = std::size_t{block} - first_;
    return i < times_.size() ? times_[i] : 0;
  }
  // To at least this.
  void raise(std::uint32_t block, std::uint32_t time);
  void join(const BlockTimes& others);

 private:
  void cover(std::size_t first, std::size_t end);

  std::size_t first_ = 0;
  std::vector<std::uint32_t> times_;  // of the blocks from first_ on
};

class OrderedShadow {
 public:
  // Nothing has been touched.
  void begin_launch();

  // The block runs alone until its end; those before it have ended.
  void begin_block(std::uint32_t block);

  // The blocks that have run so far have ended, and others begin, which run in turns.
  void begin_cluster();

  // A barrier of some blocks: each tells of all it did and knows, then learns what all told.
  void tell(std::uint32_t block, BlockTimes& all);
  void learn(std::uint32_t block, const BlockTimes& all);

  // The time of what the block does now, and whether what another did then precedes it.
  [[nodiscard]] std::uint32_t now(std::uint32_t block);
  [[nodiscard]] bool knows(std::uint32_t block, std::uint32_t other, std::uint32_t time);

  // Notes an access; the first hazard with an earlier one, if any.
  std::optional<GlobalHazard> note(const WarpAccess& access, const LaneAddresses& addresses);

  // Fence: whoever sees the block's next publication also sees all its earlier accesses.
  void fence(std::uint32_t block);

  // Calls visit(const WarpAccess&, address), with one lane, for each noted access that no later one
  // replaced, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::scoped_lock lock(mutex_);
    for (const auto& [number, page] : pages_) {
      if (page->launch != launch_) continue;
      for (const Notes* notes : {&page->others[1], &page->others[0], &page->writes}) {
        for (std::size_t cell = 0; cell < notes->size(); ++cell) {
          const Note& note = (*notes)[cell];
          if (note.block_plus_one == 0) continue;
          WarpAccess access;
          access.block = note.block_plus_one - 1;
          access.first_thread = note.thread;
          access.pc = note.pc;
          access.bytes = static_cast<unsigned>(page->cell_bytes);
          access.kind = note.writes != 0 ? RecordKind::store : RecordKind::load;
          access.is_volatile = note.atomic != 0;
          access.lanes = 1;
          const LaneDigests digests{note.digest};
          access.digests = &digests;
          const std::uintptr_t address = number * kPageBytes + cell * page->cell_bytes;
          visit(access, address);
          if (!note.read_too) continue;
          access.kind = RecordKind::load;
          visit(access, address);
        }
      }
    }
  }

 private:
  struct Note {
    std::uint32_t block_plus_one = 0;  // 0: nobody
    std::uint32_t pc = 0;
    std::uint32_t time = 0;  // of the block's clock
    std::uint16_t thread = 0;
    std::uint16_t grid_barriers : 14 = 0;
    std::uint16_t atomic : 1 = 0;
    std::uint16_t writes : 1 = 0;
    std::uint16_t digest = 0;  // of the value written
    bool read_too = false;     // its block also read there, before it wrote
  };

  // Per word of a page. Created on first use, because most pages are only read or only written, and
  // by one block.
  using Notes = std::vector<Note>;

  static constexpr std::size_t kPageBytes = 4096;
  struct Page {
    std::uint64_t launch = 0;    // in which it was last used
    std::size_t cell_bytes = 4;  // or 1, once something smaller than a word has been accessed
    // The last write, and the reads after it by two blocks at most.
    Notes writes;
    std::array<Notes, 2> others;
  };

  struct Clock {
    std::uint32_t time = 1;
    BlockTimes known;      // other blocks' actions up to these times precede this block's next ones
    BlockTimes published;  // `known` at the block's last fence, itself included
  };

  [[nodiscard]] static GlobalHazard hazard(const Note& first, const Note& second,
                                           std::uintptr_t address);
  [[nodiscard]] Page& page_at(std::uintptr_t address);
  static void split(Page& page);
  [[nodiscard]] static Note& at(const Page& page, Notes& notes, std::size_t cell);
  [[nodiscard]] bool conflict(const Note& earlier, const Note& now) const;
  void note_in_order(Page& page, std::size_t cell, const Note& now, std::uintptr_t address,
                     std::optional<GlobalHazard>& found) const;
  void synchronize(std::uint32_t block, std::uintptr_t word, bool acquires, bool releases);

  std::mutex mutex_;
  std::uint64_t launch_ = 0;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  std::uintptr_t last_page_number_ = 0;
  Page* last_page_ = nullptr;
  std::unordered_map<std::uint32_t, Clock> clocks_;  // of blocks that have fenced or learnt
  std::unordered_map<std::uintptr_t, BlockTimes> published_at_;  // by address / 4
};

}  // namespace warpgauge::emulator
