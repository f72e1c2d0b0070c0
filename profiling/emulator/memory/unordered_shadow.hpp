// SPDX-License-Identifier: Apache-2.0
// Tracks which unordered blocks touched each word of global memory. Two blocks race if they touch
// the same word, one of them writes, not both by atomic or volatile accesses, and neither has
// fenced, since something may order blocks that fence. Races are computed when all blocks have run,
// from the lowest blocks that touched each word, so they do not depend on which block ran first.
// Shared by all threads that run blocks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiling/emulator/memory/global_access.hpp"

namespace warpgauge::emulator {

class UnorderedShadow {
 private:
  class Page;

 public:
  // A host thread's last lookup, which it tries first.
  class Cursor {
   private:
    friend class UnorderedShadow;
    struct CachedPage {
      std::uintptr_t number = 0;
      Page* page = nullptr;
    };
    struct CachedPlace {
      std::uint32_t pc = 0;
      std::uint32_t place = 0;
    };
    std::uint64_t launch_ = 0;
    std::array<CachedPage, 1024> pages_{};
    std::array<CachedPlace, 64> places_{};
  };

  UnorderedShadow();
  UnorderedShadow(const UnorderedShadow&) = delete;
  UnorderedShadow& operator=(const UnorderedShadow&) = delete;
  ~UnorderedShadow();

  // Resets all. No other thread may use it meanwhile.
  void begin_launch();

  // Notes a warp's accesses by one instruction.
  void note(Cursor& cursor, const WarpAccess& access, const LaneAddresses& addresses);

  // The block may publish what it did to others.
  void fence(std::uint32_t block);

  // The races among all noted accesses, one for each pair of places in the code.
  [[nodiscard]] std::vector<GlobalHazard> races();

 private:
  using Note = std::uint64_t;  // see unordered_cells.hpp

  [[nodiscard]] Page& page_at(Cursor& cursor, std::uintptr_t address);
  [[nodiscard]] std::uint32_t place_of(Cursor& cursor, std::uint32_t pc);
  void note_range(Cursor& cursor, std::uintptr_t begin, std::size_t bytes, unsigned lane_bytes,
                  Note now, const std::uint16_t* digests);

  std::mutex mutex_;
  std::uint64_t launch_ = 0;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Page>> pages_;  // by address / kPageBytes
  std::unordered_map<std::uint32_t, std::uint32_t> place_by_pc_;
  std::vector<std::uint32_t> places_;
  std::unordered_set<std::uint32_t> fenced_;  // blocks
};

}  // namespace warpgauge::emulator
