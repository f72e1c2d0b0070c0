// SPDX-License-Identifier: Apache-2.0
// Arrivals of lanes that go on at once though another lane of their warp, which runs in a loop,
// still holds up their traces: it may look for what they do next. The arrivals count in their turn,
// when all that the lanes did before has been observed. A lane that waits where it arrives is not
// among them.
#include <algorithm>

#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {

unsigned PhaseBarriers::put_off_at(const void* barrier) const {
  unsigned arrivals = 0;
  for (const auto& [number, late] : put_off_) {
    if (late.arrival.barrier == barrier) arrivals += late.arrival.arrivals;
  }
  return arrivals;
}

std::optional<std::uint64_t> PhaseBarriers::phase_of(const warpgauge_emulator::Arrival& arrival) {
  const PhaseBarrier* known = find(reinterpret_cast<std::uintptr_t>(arrival.barrier));
  if (known != nullptr && known->completed_by_thread) return std::nullopt;
  const unsigned arrived = known == nullptr ? 0 : known->arrived;
  const bool begins = arrived == 0 && arrival.expected != 0;
  const unsigned expected = known == nullptr || begins ? arrival.expected : known->expected;
  if (arrived + put_off_at(arrival.barrier) + arrival.arrivals > expected) return std::nullopt;
  return known == nullptr ? 0 : known->phase;
}

// True: some lanes go on.
bool BlockRunner::put_off_arrivals() {
  bool some_go_on = false;
  for (Lane& lane : lanes_) {
    if (lane.state == LaneState::beginning) {
      if (phase_barriers_.put_off_at(lane.arrival.barrier) > 0) continue;
      begin(lane);
    } else if (lane.state == LaneState::arriving && !lane.arrival.waits) {
      const auto phase = phase_barriers_.phase_of(lane.arrival);
      if (!phase) continue;
      lane.phase = *phase;
      lane.state = LaneState::ready;
      note_event(lane, RecordKind::arrival,
                 phase_barriers_.put_off({lane.arrival, lane.waiting_at}));
      ++lane.put_off;
    } else {
      continue;
    }
    some_go_on = true;
  }
  return some_go_on;
}

// Those who have gone on may be behind waits by now. Who arrived with them comes as far before
// their traces are merged, so that they do the same at once, as if all had gone on together.
void BlockRunner::catch_up(unsigned warp) {
  const std::span<Lane> lanes = lanes_of(warp);
  do {
    for (Lane& lane : lanes) {
      if (lane.state == LaneState::at_phase) pass_if_over(lane);
    }
  } while (resume_ready_lanes(lanes));
}

// Those that are the next in their traces. Returns the lanes that have arrived.
std::uint32_t BlockRunner::note_put_off(unsigned warp) {
  std::uint32_t arrived = 0;
  for (Lane& lane : lanes_of(warp)) {
    if (lane.put_off == 0 || lane.trace_begin->kind != RecordKind::arrival) continue;
    const PutOffArrival late = phase_barriers_.take_put_off(lane.trace_begin->address);
    lane.next = std::copy(lane.trace_begin + 1, lane.next, lane.trace_begin);
    --lane.put_off;
    static_cast<void>(count_arrival(lane, late.arrival, late.site, warps_[warp].clocks));
    arrived |= 1U << lane.thread % kWarpLanes;
    warps_[warp].is_behind = true;
  }
  return arrived;
}

}  // namespace warpgauge::emulator
