// SPDX-License-Identifier: Apache-2.0
// A shadow of global memory: which blocks touched each word, to find races between blocks of one
// launch. Knows no kernels; shared by all threads that run blocks.
//
// The first block runs alone and shows whether blocks communicate with each other. If they do, all
// run in order and races are found at once; if not, races are found when all blocks have run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiling/emulator/memory/ordered_shadow.hpp"
#include "profiling/emulator/memory/unordered_shadow.hpp"

namespace warpgauge::emulator {

class GlobalShadow {
 public:
  using Cursor = UnorderedShadow::Cursor;

  // Resets: nothing has been touched, and blocks run in order.
  void begin_launch();

  // The block runs alone until its end; those before it have ended.
  void begin_ordered_block(std::uint32_t block) { ordered_.begin_block(block); }

  // The same for blocks of a cluster, and what orders them at its barriers.
  [[nodiscard]] OrderedShadow& ordered() { return ordered_; }

  // Declares blocks unordered, also for the accesses noted so far.
  void blocks_are_unordered();

  // Notes an access. If blocks are ordered, returns the first hazard with an earlier one, if any.
  // cursor: the calling thread's own, for all launches.
  std::optional<GlobalHazard> note(Cursor& cursor, const WarpAccess& access,
                                   const LaneAddresses& addresses) {
    if (!in_order_) {
      unordered_.note(cursor, access, addresses);
      return std::nullopt;
    }
    return ordered_.note(access, addresses);
  }

  // Fence: whoever sees the block's next publication also sees all its earlier accesses.
  void fence(std::uint32_t block) {
    if (in_order_) {
      ordered_.fence(block);
    } else {
      unordered_.fence(block);
    }
  }

  // If blocks are unordered: the races among all accesses, one for each pair of places.
  [[nodiscard]] std::vector<GlobalHazard> races() { return unordered_.races(); }

 private:
  bool in_order_ = true;
  OrderedShadow ordered_;
  UnorderedShadow unordered_;
};

}  // namespace warpgauge::emulator
