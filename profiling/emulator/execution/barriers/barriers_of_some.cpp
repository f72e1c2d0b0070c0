// SPDX-License-Identifier: Apache-2.0
// BlockRunner's barriers of some threads: who arrives, what that opens, and who goes on.
#include <fmt/format.h>

#include <algorithm>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/include/warpgauge_emulator/groups/completed_phase.h"

namespace warpgauge::emulator {
namespace {

std::uintptr_t barrier_of(const Lane& lane) {
  return reinterpret_cast<std::uintptr_t>(lane.arrival.barrier);
}

bool is_merged(const Lane& lane) { return lane.next == lane.trace_begin; }

}  // namespace

// True: some lanes go on.
bool BlockRunner::complete_phases() {
  open_if_cluster_has_come();
  // First, while their barrier knows no more than what that phase has told.
  for (Lane& lane : lanes_) {
    if (lane.state == LaneState::at_phase) pass_if_over(lane);
  }
  for (unsigned warp = 0; warp < warps_.size(); ++warp) note_arrivals(warp);
  const auto goes_on = [&] {
    return any(LaneState::ready) || std::ranges::any_of(warps_, &Warp::is_behind);
  };
  if (join_halves()) {
    for (unsigned warp = 0; warp < warps_.size(); ++warp) note_arrivals(warp);
  }
  for (const std::uintptr_t number :
       {warpgauge_emulator::kArrivalOfBlock, warpgauge_emulator::kArrivalOfCluster}) {
    if (!goes_on()) leave_arrival(number);
  }
  return goes_on() || put_off_arrivals();
}

bool BlockRunner::meets_other_blocks(std::uintptr_t barrier) const {
  return cluster_ != nullptr && barrier == warpgauge_emulator::kArrivalOfCluster;
}

// Threads at the cluster's sync() meet those of their block that arrive there and wait apart. True:
// some do.
bool BlockRunner::join_halves() {
  const PhaseBarrier* barrier = phase_barriers_.find(warpgauge_emulator::kArrivalOfCluster);
  if (barrier == nullptr || barrier->arrived == 0) return false;
  bool some_join = false;
  for (Lane& lane : lanes_) {
    if (lane.state != LaneState::at_block_barrier || lane.scope != BarrierScope::cluster) continue;
    lane.arrival = {.barrier = reinterpret_cast<const void*>(warpgauge_emulator::kArrivalOfCluster),
                    .expected = launch_.threads(),
                    .waits = true};
    lane.state = LaneState::arriving;
    some_join = true;
  }
  return some_join;
}

// Opens a barrier of the block's own, or arrives at the cluster's, if all have arrived but those
// that have returned.
void BlockRunner::leave_arrival(std::uintptr_t number) {
  const bool of_cluster = meets_other_blocks(number);
  if (of_cluster && arrival_in_cluster_) return;
  PhaseBarrier* barrier = phase_barriers_.find(number);
  const auto waits = [&](const Lane& lane) {
    return lane.state == LaneState::at_phase && barrier_of(lane) == number;
  };
  const auto waiting = std::ranges::find_if(lanes_, waits);
  if (barrier == nullptr || waiting == lanes_.end()) return;
  const auto has_left = [&](const Lane& lane) {
    return lane.state == LaneState::finished && lane.put_off == 0 &&
           !barrier->has_come(lane.thread);
  };
  if (barrier->arrived + std::ranges::count_if(lanes_, has_left) != barrier->expected) return;
  for (const Lane& lane : lanes_) {
    if (!has_left(lane)) continue;
    learn_early(lane);
    tell(lane, warps_[lane.thread / kWarpLanes].clocks, *barrier);
  }
  if (of_cluster) return arrive_in_cluster();
  open(number, *barrier, true);
}

void BlockRunner::arrive_in_cluster() {
  analysis_.arrive_in_cluster();
  arrival_in_cluster_ = residents_->arrive(place_);
}

void BlockRunner::open_if_cluster_has_come() {
  if (!arrival_in_cluster_ || !residents_->all_have_arrived(*arrival_in_cluster_)) return;
  arrival_in_cluster_.reset();
  analysis_.pass_in_cluster();
  constexpr std::uintptr_t kNumber = warpgauge_emulator::kArrivalOfCluster;
  open(kNumber, *phase_barriers_.find(kNumber), true);
}

bool BlockRunner::waits_for_cluster() const {
  return arrival_in_cluster_ && std::ranges::any_of(lanes_, [](const Lane& lane) {
           return lane.state == LaneState::at_phase &&
                  barrier_of(lane) == warpgauge_emulator::kArrivalOfCluster;
         });
}

void BlockRunner::pass_if_over(Lane& lane) {
  const PhaseBarrier* barrier = phase_barriers_.find(barrier_of(lane));
  if (barrier == nullptr || barrier->phase <= lane.phase) return;
  if (barrier->phase > lane.phase + 1) {
    stop(mistake_at(ErrorKind::barrier, lane.waiting_at),
         fmt::format("wait for a phase of a barrier that is two or more back: {} waits for phase "
                     "{} of a barrier that is in phase {}, at {}; wait before the next one is over",
                     thread_text(lane), lane.phase, barrier->phase, place(lane.waiting_at)));
  }
  pass(*barrier, lane);
}

// What the lane has waited for is over. It learns nothing before all that it did before is
// observed, but goes on: another lane of its warp may look for what it does next.
void BlockRunner::pass(const PhaseBarrier& barrier, Lane& lane) {
  lane.state = LaneState::ready;
  if (is_merged(lane)) {
    thread_clocks_.learn(lane.thread, barrier.known);
    return;
  }
  note_event(lane, RecordKind::phase_over, phase_barriers_.add_late(barrier.known));
}

// Of a lane that goes on from where it waited.
void BlockRunner::note_event(Lane& lane, RecordKind kind, std::uint64_t number) {
  const auto place = reinterpret_cast<std::uintptr_t>(lane.waiting_at.return_address);
  const auto frame = reinterpret_cast<std::uintptr_t>(lane.waiting_at.frame);
  *lane.next++ = make_record(number, static_cast<std::uint32_t>(place - lane.text_begin), 0, kind,
                             lane.stack_top - frame);
  if (lane.next == lane.trace_end) lane.state = LaneState::trace_full;
}

// In its turn.
void BlockRunner::learn_late(const Request& request, unsigned first_thread) {
  for_each_lane(request.lanes, [&](unsigned lane) {
    const std::uint64_t number = request.addresses[lane];
    thread_clocks_.learn(first_thread + lane, phase_barriers_.late(number));
    phase_barriers_.remove_late(number);
  });
}

// Before the lane tells others, though another of its warp still holds up its trace: a race may be
// missed, but none is made up.
void BlockRunner::learn_early(const Lane& lane) {
  for (const Record& record : std::span<const Record>(lane.trace_begin, lane.next)) {
    if (record.kind != RecordKind::phase_over) continue;
    thread_clocks_.learn(lane.thread, phase_barriers_.late(record.address));
  }
}

// Those whose accesses before have all been observed.
void BlockRunner::note_arrivals(unsigned warp) {
  std::uint32_t arrived = note_put_off(warp);
  for (Lane& lane : lanes_of(warp)) {
    if (!is_merged(lane)) continue;
    if (lane.state == LaneState::beginning) begin(lane);
    if (lane.state == LaneState::arriving) {
      arrive(lane, warps_[warp].clocks);
    } else if (lane.state == LaneState::completing) {
      complete(lane, warps_[warp].clocks);
    } else {
      continue;
    }
    arrived |= 1U << lane.thread % kWarpLanes;
  }
  if (arrived != 0) warps_[warp].clocks.advance(arrived, analysis_.next_stamp());
}

void BlockRunner::begin(Lane& lane) {
  phase_barriers_.begin(barrier_of(lane), lane.arrival.expected, lane.arrival.completed_by_thread);
  lane.state = LaneState::ready;
}

void BlockRunner::arrive(Lane& lane, const WarpClocks& clocks) {
  lane.phase = phase_barriers_.of(barrier_of(lane), lane.arrival.expected).phase;
  lane.state = lane.arrival.waits ? LaneState::at_phase : LaneState::ready;
  const bool completes = count_arrival(lane, lane.arrival, lane.waiting_at, clocks);
  if (completes) lane.state = LaneState::ready;
}

// True: the lane has to complete the phase.
bool BlockRunner::count_arrival(const Lane& lane, const Arrival& arrival, CallSite site,
                                const WarpClocks& clocks) {
  const auto number = reinterpret_cast<std::uintptr_t>(arrival.barrier);
  PhaseBarrier& barrier = phase_barriers_.of(number, arrival.expected);
  if (arrival.arrivals > barrier.expected - barrier.arrived) {
    stop(mistake_at(ErrorKind::barrier, site),
         fmt::format("more arrivals at a barrier than it expects: {} brings {} to {} of {}, at {}",
                     thread_text(lane), arrival.arrivals, barrier.arrived, barrier.expected,
                     place(site)));
  }
  if (arrival.copies) {
    barrier.copies.push_back({lane.thread, analysis_.async_copies().committed(lane.thread)});
  }
  if (arrival.arrivals == 0) return false;
  tell(lane, clocks, barrier);
  barrier.note_arrival(lane.thread);
  if (arrival.drops) --barrier.next_expected;
  barrier.arrived += arrival.arrivals;
  if (barrier.arrived != barrier.expected) return false;
  for (const PhaseBarrier::Copies& copies : barrier.copies) {
    analysis_.async_copies().finish(copies.thread, copies.committed);
  }
  if (barrier.completed_by_thread) {
    barrier.completing = lane.thread;
    thread_clocks_.learn(lane.thread, barrier.told);
    return true;
  }
  if (meets_other_blocks(number)) {
    arrive_in_cluster();
    return false;
  }
  if (arrival.work != nullptr) work_at_barrier(lane);
  open(number, barrier, arrival.waits);
  return false;
}

void BlockRunner::tell(const Lane& lane, const WarpClocks& clocks, PhaseBarrier& barrier) {
  thread_clocks_.tell(lane.thread, barrier.told);
  clocks.tell(lane.thread % kWarpLanes, lane.thread / kWarpLanes * kWarpLanes, barrier.told);
}

// The last to arrive has done what is done between phases.
void BlockRunner::complete(Lane& lane, const WarpClocks& clocks) {
  PhaseBarrier& barrier = *phase_barriers_.find(barrier_of(lane));
  tell(lane, clocks, barrier);
  lane.phase = barrier.phase;
  lane.state = lane.arrival.waits ? LaneState::at_phase : LaneState::ready;
  open(barrier_of(lane), barrier, lane.arrival.waits);
}

void BlockRunner::open(std::uintptr_t number, PhaseBarrier& barrier, bool last_waits) {
  barrier.open();
  ++barriers_;
  const auto waits = [&](const Lane& lane) {
    return lane.state == LaneState::at_phase && barrier_of(lane) == number;
  };
  // Whoever only waits has not said what it did before.
  if (std::ranges::all_of(lanes_,
                          [&](const Lane& lane) { return waits(lane) && lane.arrival.waits; })) {
    barrier.forget();
    analysis_.block_barrier();
    begin_epoch();
  }
  // Where the last thread may come to wait, too, with those who do: its phase alone ends here.
  if (barrier.completed_by_thread && !last_waits) return;
  // Else at once, before another phase tells of more.
  for (Lane& lane : lanes_) {
    if (waits(lane) && lane.phase < barrier.phase) pass(barrier, lane);
  }
}

void BlockRunner::work_at_barrier(const Lane& last) {
  std::vector<BarrierWork*> work;
  for (const Lane& lane : lanes_) {
    if (lane.state != LaneState::at_phase || barrier_of(lane) != barrier_of(last)) continue;
    if (lane.arrival.work == nullptr || lane.arrival.work->run != last.arrival.work->run) {
      stop(mistake_at(ErrorKind::barrier, lane.waiting_at),
           fmt::format("threads of a group that do different things together: {} is at {}, {} at "
                       "{}",
                       thread_text(lane), place(lane.waiting_at), thread_text(last),
                       place(last.waiting_at)));
    }
    analysis_.values_leave(lane.thread / kWarpLanes * kWarpLanes, 1U << lane.thread % kWarpLanes);
    work.push_back(lane.arrival.work);
  }
  last.arrival.work->run(work.data(), static_cast<unsigned>(work.size()));
}

// Before lanes of a warp wait for each other: what one of them has learned from other warps, all
// know then.
void BlockRunner::share_clocks(unsigned warp, std::uint32_t lanes) {
  if (uses_phases_) {
    for_each_lane(lanes, [&](unsigned lane) { learn_early(lanes_of(warp)[lane]); });
  }
  if (!thread_clocks_.in_use()) return;
  ThreadClocks::Times times;
  for_each_lane(lanes,
                [&](unsigned lane) { thread_clocks_.tell(warp * kWarpLanes + lane, times); });
  for_each_lane(lanes,
                [&](unsigned lane) { thread_clocks_.learn(warp * kWarpLanes + lane, times); });
}

void BlockRunner::stop_closed_barrier() {
  const Lane& lane = *std::ranges::find(lanes_, LaneState::at_phase, &Lane::state);
  const PhaseBarrier& barrier = *phase_barriers_.find(barrier_of(lane));
  std::string lacks =
      fmt::format("{} arrivals, and {} have come", barrier.expected, barrier.arrived);
  if (barrier.completing.has_value()) {
    const Lane& last = lanes_[*barrier.completing];
    lacks = fmt::format("the completion function of thread {}, which {}",
                        to_string(last.thread_index), whereabouts(last));
  }
  stop(mistake_at(ErrorKind::barrier, lane.waiting_at),
       fmt::format("barrier that never opens: {} waits at {} for {}", thread_text(lane),
                   place(lane.waiting_at), lacks));
}

}  // namespace warpgauge::emulator
