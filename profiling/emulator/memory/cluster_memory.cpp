// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/cluster_memory.hpp"

namespace warpgauge::emulator {

void ClusterMemory::begin(const Launch& launch, std::uint64_t cluster) {
  shared_.begin_launch();
  global_.begin_cluster();
  told_ = {};
  for (unsigned rank = 0; rank < size(); ++rank) {
    Member& member = members_[rank];
    member.block = launch.block_of(cluster, rank);
    member.ended = false;
    member.arrivals = member.passed = 0;
    member.visits.assign(size(), Visit());
  }
}

std::optional<unsigned> ClusterMemory::rank_of(std::uintptr_t address) const {
  for (unsigned rank = 0; rank < size(); ++rank) {
    if (address - members_[rank].shared_begin < shared_bytes_) return rank;
  }
  return std::nullopt;
}

void ClusterMemory::arrive(unsigned rank) {
  Member& member = members_[rank];
  Told& told = told_[member.arrivals % told_.size()];
  if (told.phase != member.arrivals) told = {member.arrivals, {}, {}};
  ++member.arrivals;
  shared_.tell(rank, told.shared);
  global_.tell(static_cast<std::uint32_t>(member.block), told.global);
}

void ClusterMemory::pass(unsigned rank) {
  Member& member = members_[rank];
  const Told& told = told_[member.passed++ % told_.size()];
  shared_.learn(rank, told.shared);
  global_.learn(static_cast<std::uint32_t>(member.block), told.global);
}

void ClusterMemory::note_visit(unsigned owner, const Visit& visit) {
  Visit& last = members_[owner].visits[visit.rank];
  last = visit;
  last.time = shared_.now(visit.rank);
}

std::optional<ClusterMemory::Visit> ClusterMemory::unordered_visit(unsigned owner) {
  for (const Visit& visit : members_[owner].visits) {
    if (visit.time != 0 && !shared_.knows(owner, visit.rank, visit.time)) return visit;
  }
  return std::nullopt;
}

}  // namespace warpgauge::emulator
