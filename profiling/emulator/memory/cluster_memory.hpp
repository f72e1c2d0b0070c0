// SPDX-License-Identifier: Apache-2.0
// The shared memory of a cluster's blocks, which all of them reach: where each block's lies, who
// touched it, and what the cluster's barriers order. Knows no kernels.
//
// The blocks run in turns, and only the one whose turn it is may call this.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiling/emulator/execution/launch.hpp"
#include "profiling/emulator/memory/ordered_shadow.hpp"
#include "profiling/emulator/memory/shared_shadow.hpp"

namespace warpgauge::emulator {

class ClusterMemory {
 public:
  // An access by a thread of one block to the shared memory of another.
  struct Visit {
    std::uint32_t time = 0;  // of the visiting block's clock; 0: none
    std::uint32_t pc = 0;
    unsigned thread = 0;
    RecordKind kind = RecordKind::load;
    std::uintptr_t address = 0;
    unsigned rank = 0;  // of the visiting block
  };

  // shared_bytes: of each block. global: the shadow of global memory.
  ClusterMemory(std::size_t blocks, std::size_t shared_bytes, OrderedShadow& global)
      : shared_bytes_(shared_bytes), global_(global), members_(blocks) {}

  // For all clusters of a launch.
  void join(unsigned rank, std::uintptr_t shared_begin, SharedShadow& shadow) {
    members_[rank].shared_begin = shared_begin;
    members_[rank].shadow = &shadow;
  }

  // Nothing has been touched, and no block has ended.
  void begin(const Launch& launch, std::uint64_t cluster);

  void end(unsigned rank) { members_[rank].ended = true; }
  [[nodiscard]] bool has_ended(unsigned rank) const { return members_[rank].ended; }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(members_.size()); }
  // In the grid.
  [[nodiscard]] std::uint64_t block(unsigned rank) const { return members_[rank].block; }
  [[nodiscard]] std::uintptr_t shared_begin(unsigned rank) const {
    return members_[rank].shared_begin;
  }
  [[nodiscard]] std::optional<unsigned> rank_of(std::uintptr_t address) const;

  // Another block has written this.
  void initialize(unsigned rank, std::uintptr_t address, std::size_t bytes) {
    members_[rank].shadow->initialize(address - members_[rank].shared_begin, bytes);
  }

  // Notes a block's accesses to shared memory, its own or another's; the first hazard with an
  // earlier one of another block, if any. Blocks are ranks, in what is given and returned.
  std::optional<GlobalHazard> note(const WarpAccess& access, const LaneAddresses& addresses) {
    return shared_.note(access, addresses);
  }
  // A fence of the block.
  void fence(unsigned rank) { shared_.fence(rank); }

  // The block comes to a barrier of the cluster, and leaves it.
  void arrive(unsigned rank);
  void pass(unsigned rank);

  void note_visit(unsigned owner, const Visit& visit);
  // A visit of the block's memory that nothing orders before what the block does now, if any.
  [[nodiscard]] std::optional<Visit> unordered_visit(unsigned owner);

 private:
  struct Member {
    std::uintptr_t shared_begin = 0;
    SharedShadow* shadow = nullptr;
    std::uint64_t block = 0;
    bool ended = false;
    std::uint64_t arrivals = 0;  // at barriers
    std::uint64_t passed = 0;
    std::vector<Visit> visits;  // the last by each block
  };
  // What those that have arrived in a phase knew and did.
  struct Told {
    std::uint64_t phase = 0;
    BlockTimes shared;  // by rank
    BlockTimes global;  // by block
  };

  std::size_t shared_bytes_;
  OrderedShadow& global_;
  OrderedShadow shared_;
  std::vector<Member> members_;
  std::array<Told, 2> told_;  // a phase ends before the next but one begins
};

}  // namespace warpgauge::emulator
