// SPDX-License-Identifier: Apache-2.0
// A shadow of global memory: which blocks touched each word, to find races between blocks of one
// launch. Knows no kernels; shared by all threads that run blocks.
//
// The first block runs alone and tells whether blocks communicate with each other. If they do, all
// run in order, and races are found as they happen; if not, when all have run.
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

  // Nothing has been touched. Blocks are in order, until said otherwise.
  void begin_launch();

  // The block runs alone until its end; those before it have ended.
  void begin_ordered_block(std::uint32_t block) { ordered_.begin_block(block); }

  // From now on, and in what has been noted so far, blocks are in no order.
  void blocks_are_unordered();

  // Notes an access. Where blocks are ordered: the first hazard with an earlier one, if any.
  // cursor: the calling thread's own, for all launches.
  std::optional<GlobalHazard> note(Cursor& cursor, const WarpAccess& access,
                                   const LaneAddresses& addresses) {
    if (!in_order_) {
      unordered_.note(cursor, access, addresses);
      return std::nullopt;
    }
    return ordered_.note(access, addresses);
  }

  // What the block has done so far will have been seen by whoever sees what it publishes next.
  void fence(std::uint32_t block) { ordered_.fence(block); }

  // Where blocks are not ordered: the races among all that they did, one for each pair of places.
  [[nodiscard]] std::vector<GlobalHazard> races() { return unordered_.races(); }

 private:
  bool in_order_ = true;
  OrderedShadow ordered_;
  UnorderedShadow unordered_;
};

}  // namespace warpgauge::emulator
