// SPDX-License-Identifier: Apache-2.0
// BlockRunner's barriers of some threads: who arrives, what that opens, and who goes on.
#include <fmt/format.h>

#include <algorithm>

#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {
namespace {

std::uintptr_t barrier_of(const Lane& lane) {
  return reinterpret_cast<std::uintptr_t>(lane.arrival.barrier);
}

}  // namespace

// True: some lanes go on.
bool BlockRunner::complete_phases() {
  for (unsigned warp = 0; warp < warps_.size(); ++warp) note_arrivals(warp);
  for (Lane& lane : lanes_) {
    if (lane.state != LaneState::at_phase) continue;
    const PhaseBarrier* barrier = phase_barriers_.find(barrier_of(lane));
    if (barrier != nullptr) go_on_behind(*barrier, lane);
  }
  return any(LaneState::ready);
}

// If what the lane waits for is over.
void BlockRunner::go_on_behind(const PhaseBarrier& barrier, Lane& lane) {
  if (barrier.phase <= lane.phase) return;
  thread_clocks_.learn(lane.thread, barrier.known);
  lane.state = LaneState::ready;
}

// Those whose accesses before have all been observed.
void BlockRunner::note_arrivals(unsigned warp) {
  std::uint32_t arrived = 0;
  for (Lane& lane : lanes_of(warp)) {
    if (lane.next != lane.trace_begin) continue;
    if (lane.state == LaneState::beginning) {
      phase_barriers_.begin(barrier_of(lane), lane.arrival.expected);
      lane.state = LaneState::ready;
    }
    if (lane.state != LaneState::arriving) continue;
    arrive(lane, warps_[warp].clocks);
    arrived |= 1U << lane.thread % kWarpLanes;
  }
  if (arrived != 0) warps_[warp].clocks.advance(arrived, analysis_.next_stamp());
}

void BlockRunner::arrive(Lane& lane, const WarpClocks& clocks) {
  PhaseBarrier& barrier = phase_barriers_.of(barrier_of(lane), lane.arrival.expected);
  if (lane.arrival.arrivals > barrier.expected - barrier.arrived) {
    stop(mistake_at(ErrorKind::barrier, lane.waiting_at),
         fmt::format("more arrivals at a barrier than it expects: {} brings {} to {} of {}, at {}",
                     thread_text(lane), lane.arrival.arrivals, barrier.arrived, barrier.expected,
                     place(lane.waiting_at)));
  }
  lane.phase = barrier.phase;
  lane.state = lane.arrival.waits ? LaneState::at_phase : LaneState::ready;
  if (lane.arrival.copies) {
    barrier.copies.push_back({lane.thread, analysis_.async_copies().committed(lane.thread)});
  }
  if (lane.arrival.arrivals == 0) return;
  thread_clocks_.tell(lane.thread, barrier.told);
  clocks.tell(lane.thread % kWarpLanes, lane.thread / kWarpLanes * kWarpLanes, barrier.told);
  if (lane.arrival.drops) --barrier.next_expected;
  barrier.arrived += lane.arrival.arrivals;
  if (barrier.arrived == barrier.expected) open(lane, barrier);
}

void BlockRunner::open(const Lane& last, PhaseBarrier& barrier) {
  for (const PhaseBarrier::Copies& copies : barrier.copies) {
    analysis_.async_copies().finish(copies.thread, copies.committed);
  }
  if (last.arrival.work != nullptr) work_at_barrier(last);
  barrier.open();
  ++barriers_;
  const auto waits = [&](const Lane& lane) {
    return lane.state == LaneState::at_phase && barrier_of(lane) == barrier_of(last);
  };
  // Whoever only waits has not said what it did before.
  if (std::ranges::all_of(lanes_,
                          [&](const Lane& lane) { return waits(lane) && lane.arrival.waits; })) {
    barrier.forget();
    analysis_.block_barrier();
    begin_epoch();
  }
  // At once, before another phase tells of more.
  for (Lane& lane : lanes_) {
    if (waits(lane)) go_on_behind(barrier, lane);
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
  stop(mistake_at(ErrorKind::barrier, lane.waiting_at),
       fmt::format("barrier that never opens: {} waits at {} for {} arrivals, and {} have come",
                   thread_text(lane), place(lane.waiting_at), barrier.expected, barrier.arrived));
}

}  // namespace warpgauge::emulator
