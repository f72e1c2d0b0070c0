// SPDX-License-Identifier: Apache-2.0
// A shadow of global memory: which blocks touched each word, to find races between blocks of one
// launch. Knows no kernels; shared by all threads that run blocks.
//
// Blocks of a kernel that does not communicate are in no order at all: any two that touch a word,
// one of them writing, race. That is found when all have run, from the lowest blocks that touched
// each word, and so does not depend on which ran first.
//
// Blocks that communicate run one after the other. Between them there is order where one has
// published, by __threadfence and then an atomic or volatile access, what another acquired by an
// atomic or volatile access to the same address: vector clocks, one a block. A barrier of the grid
// orders all.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/bank_model.hpp"
#include "profiling/emulator/trace.hpp"

namespace warpgauge::emulator {

struct GlobalAccess {
  std::uint32_t block = 0;
  std::uint32_t pc = 0;
  std::uint16_t thread = 0;  // within the block
  bool writes = false;
};

// Two accesses of the same memory in no order.
struct GlobalHazard {
  GlobalAccess first;
  GlobalAccess second;
  std::uintptr_t address = 0;
};

class GlobalShadow {
 public:
  // What a warp does by one instruction.
  struct WarpAccess {
    std::uint32_t block = 0;
    std::uint32_t first_thread = 0;   // of the warp
    std::uint32_t grid_barriers = 0;  // that the block has passed
    std::uint32_t pc = 0;
    unsigned bytes = 0;
    RecordKind kind = RecordKind::load;  // load, store or atomic
    bool is_volatile = false;
    std::uint32_t lanes = 0;
  };

  // Nothing has been touched.
  void begin_launch();

  // The block runs alone until its end; those before it have ended.
  void begin_ordered_block(std::uint32_t block);

  // From now on blocks run one after the other, or in turns, because they communicate.
  void blocks_are_ordered() { ordered_ = true; }

  // Notes an access. Where blocks are ordered: the first hazard with an earlier one, if any.
  std::optional<GlobalHazard> access(const WarpAccess& access, const LaneAddresses& addresses);

  // What the block has done so far will have been seen by whoever sees what it publishes next.
  void fence(std::uint32_t block);

  // Where blocks are not ordered: the races among all that they did, one for each pair of places.
  [[nodiscard]] std::vector<GlobalHazard> races();

 private:
  struct Note {
    std::uint32_t block_plus_one = 0;  // 0: nobody
    std::uint32_t pc = 0;
    std::uint32_t time = 0;  // of the block's clock
    std::uint16_t thread = 0;
    std::uint16_t grid_barriers : 14 = 0;
    std::uint16_t atomic : 1 = 0;
    std::uint16_t writes : 1 = 0;
  };

  // Of each word of a page: made when first needed, since most pages are only read, or only
  // written, and by one block.
  using Notes = std::vector<Note>;

  static constexpr std::size_t kPageBytes = 4096;
  struct Page {
    std::uint64_t launch = 0;    // in which it was last used
    std::size_t cell_bytes = 4;  // or 1, once something smaller than a word has been accessed
    // Ordered: the last write, and the reads after it by two blocks at most. Not ordered: the write
    // of the lowest block, and what the two lowest blocks did.
    Notes writes;
    std::array<Notes, 2> others;
  };

  using Times = std::vector<std::uint32_t>;  // by block; shorter: 0 from there on
  struct Clock {
    std::uint32_t time = 1;
    Times known;      // what other blocks did up to then is ordered before what comes
    Times published;  // known when the block last fenced, itself included
  };

  [[nodiscard]] static GlobalHazard hazard(const Note& first, const Note& second,
                                           std::uintptr_t address);
  [[nodiscard]] Page& page_at(std::uintptr_t address);
  static void split(Page& page);
  [[nodiscard]] static Note& at(const Page& page, Notes& notes, std::size_t cell);
  [[nodiscard]] bool conflict(const Note& earlier, const Note& now) const;
  void note_in_order(Page& page, std::size_t cell, const Note& now, std::uintptr_t address,
                     std::optional<GlobalHazard>& found) const;
  static void note_unordered(Page& page, std::size_t cell, const Note& now);
  void synchronize(std::uint32_t block, std::uintptr_t word, bool acquires, bool releases);

  std::mutex mutex_;
  std::uint64_t launch_ = 0;
  bool ordered_ = false;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  std::uintptr_t last_page_number_ = 0;
  Page* last_page_ = nullptr;
  std::unordered_map<std::uint32_t, Clock> clocks_;         // of blocks that have fenced or learnt
  std::unordered_map<std::uintptr_t, Times> published_at_;  // by address / 4
};

}  // namespace warpgauge::emulator
