// SPDX-License-Identifier: Apache-2.0
// AccessAnalysis's part for clusters: accesses of a block to the shared memory of another, and
// races between blocks there.
//
// An H200 counts the lanes of an access that stay in their own block's shared memory as a request
// there, and those that go to another block's in no counter of shared or global memory:
// tests/profiling/cluster_visits.cuh.
#include <fmt/format.h>

#include <string>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/models/access_analysis.hpp"

namespace warpgauge::emulator {

void AccessAnalysis::join_cluster(ClusterMemory& cluster, unsigned rank) {
  cluster_ = &cluster;
  rank_ = rank;
  cluster.join(rank, shared_begin_, shadow_);
}

void AccessAnalysis::end_in_cluster() {
  if (cluster_ == nullptr) return;
  if (const auto visit = cluster_->unordered_visit(rank_)) report_visit(*visit, rank_);
  cluster_->end(rank_);
}

void AccessAnalysis::observe_cluster(const Request& request, const Places& places,
                                     unsigned first_thread, bool is_volatile, std::uint32_t site,
                                     const WarpClocks& clocks) {
  const Record& record = request.record;
  const std::uint32_t remote = visit(request, places.remote, first_thread);
  if (remote != 0 && launch_.threads() > 1) {
    observe_threads(request, remote, first_thread, is_volatile, site, clocks);
  }
  WarpAccess access{rank_,
                    first_thread,
                    0,
                    record.pc,
                    record.bytes,
                    record.kind,
                    is_volatile,
                    site_states_[site].manner.block_scope,
                    places.shared | remote,
                    false,
                    record.kind == RecordKind::store ? &request.digests : nullptr};
  // Whoever waits for another block may wait for either memory: each knows what orders both.
  if (access.is_strong()) access.lanes |= places.global;
  if (access.lanes == 0) return;
  const auto hazard = cluster_->note(access, request.addresses);
  if (hazard) [[unlikely]]
    report_cluster_race(*hazard, record.kind);
  access.lanes = places.shared | remote;
  if (!access.is_strong() || access.lanes == 0) return;
  access.block = static_cast<std::uint32_t>(block_);
  static_cast<void>(global_shadow_.note(cursor_, access, request.addresses));
}

// The lanes whose access is within bounds.
std::uint32_t AccessAnalysis::visit(const Request& request, std::uint32_t lanes,
                                    unsigned first_thread) {
  std::uint32_t within = 0;
  for (unsigned owner = 0; lanes != 0 && owner < cluster_->size(); ++owner) {
    std::uint32_t of_owner = 0;
    LaneAddresses offsets;
    for_each_lane(lanes, [&](unsigned lane) {
      if (cluster_->rank_of(request.addresses[lane]) != owner) return;
      of_owner |= 1U << lane;
      offsets[lane] = request.addresses[lane] - cluster_->shared_begin(owner);
    });
    of_owner =
        within_bounds(request.record, offsets, of_owner, first_thread, cluster_->block(owner));
    for_each_lane(of_owner, [&](unsigned lane) {
      visit(owner, request.record, request.addresses[lane], first_thread + lane);
    });
    within |= of_owner;
  }
  return within;
}

void AccessAnalysis::visit(unsigned owner, const Record& record, std::uintptr_t address,
                           unsigned thread) {
  const ClusterMemory::Visit visit{0, record.pc, thread, record.kind, address, rank_};
  if (!cluster_->has_ended(owner)) {
    cluster_->note_visit(owner, visit);
  } else if (!late_in_cluster_) {
    report_visit(visit, owner);
  }
  if (record.kind != RecordKind::load) cluster_->initialize(owner, address, record.bytes);
}

std::string AccessAnalysis::describe_inside(std::uintptr_t address) const {
  const auto owner = cluster_ == nullptr ? std::nullopt : cluster_->rank_of(address);
  if (!owner) return memory_.describe_inside(address);
  const std::size_t offset = address - cluster_->shared_begin(*owner);
  const SharedVariable* variable = program_.shared_variables().before(offset);
  return fmt::format("{} byte {} of block {}",
                     variable == nullptr ? "shared memory" : variable->name,
                     offset - (variable == nullptr ? 0 : variable->offset),
                     to_string(launch_.block_index(cluster_->block(*owner))));
}

void AccessAnalysis::report_visit(const ClusterMemory::Visit& visit, unsigned owner) {
  const Mistake mistake{ErrorKind::ended_block, visit.pc};
  if (!errors_.is_new(mistake)) return;
  errors_.add(
      {mistake, block_,
       fmt::format("shared memory of a block that may have ended: {} {} {} at {}, and no barrier "
                   "of the cluster is between that and the end of block {}; call cluster.sync() "
                   "after the last access",
                   describe_thread(program_, launch_, cluster_->block(visit.rank), visit.thread),
                   verb(visit.kind), describe_inside(visit.address),
                   to_string(program_.locate(visit.pc)),
                   to_string(launch_.block_index(cluster_->block(owner))))});
}

void AccessAnalysis::report_cluster_race(const GlobalHazard& hazard, RecordKind kind) {
  const Mistake mistake =
      mistake_between(hazard.same_value ? ErrorKind::same_value : ErrorKind::race, hazard.second.pc,
                      hazard.first.pc);
  if (!errors_.is_new(mistake)) return;
  errors_.add(
      {mistake, block_,
       fmt::format(
           "{}: {} {} {} at {}, {} by block {}, thread {} at {} with no barrier of the "
           "cluster between",
           hazard.same_value ? "same value written by several blocks" : "shared memory race",
           describe_thread(program_, launch_, block_, hazard.second.thread), verb(kind),
           describe_inside(hazard.address), to_string(program_.locate(hazard.second.pc)),
           hazard.first.writes ? "written" : "read",
           to_string(launch_.block_index(cluster_->block(hazard.first.block))),
           to_string(launch_.thread_index(hazard.first.thread)),
           to_string(program_.locate(hazard.first.pc)))});
}

}  // namespace warpgauge::emulator
