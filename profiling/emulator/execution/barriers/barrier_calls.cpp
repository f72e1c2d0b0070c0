// SPDX-License-Identifier: Apache-2.0
// What kernel code calls at barriers of some threads. Runs on the kernel's stack.
#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/include/warpgauge_emulator/groups/completed_phase.h"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge_emulator {
namespace {

using warpgauge::emulator::Lane;
using warpgauge::emulator::LaneState;

warpgauge::emulator::PhaseBarriers& barriers() {
  return warpgauge_emulator_thread_memory.runner->phase_barriers();
}

// nullptr: the block has none there.
warpgauge::emulator::PhaseBarrier* find(const void* barrier) {
  return barriers().find(reinterpret_cast<std::uintptr_t>(barrier));
}

std::uint64_t wait_as(LaneState state, const Arrival& arrival, std::uint64_t phase, CallSite site) {
  static_cast<void>(barriers());
  Lane& lane = *warpgauge_emulator_thread_memory.lane;
  lane.waiting_at = site;
  lane.arrival = arrival;
  lane.phase = phase;
  lane.clock_seen = nullptr;
  lane.state = state;
  lane.fiber.suspend();
  return lane.phase;
}

}  // namespace

// Not here and now, where new is the kernel's.
void begin_barrier(const void* barrier, unsigned expected, CallSite site) {
  wait_as(LaneState::beginning, {.barrier = barrier, .expected = expected}, 0, site);
}

void begin_completed_barrier(const void* barrier, unsigned expected, CallSite site) {
  wait_as(LaneState::beginning,
          {.barrier = barrier, .expected = expected, .completed_by_thread = true}, 0, site);
}

bool completes_phase(const void* barrier) {
  return find(barrier)->completing == warpgauge_emulator_thread_memory.lane->thread;
}

void complete_phase(const void* barrier, bool waits, CallSite site) {
  wait_as(LaneState::completing, {.barrier = barrier, .waits = waits}, 0, site);
}

std::uint64_t barrier_phase(const void* barrier) {
  const auto* known = find(barrier);
  return known == nullptr ? kNoBarrier : known->phase;
}

std::uint64_t arrive(const Arrival& arrival, CallSite site) {
  return wait_as(LaneState::arriving, arrival, 0, site);
}

void await_phase(const void* barrier, std::uint64_t phase, CallSite site) {
  wait_as(LaneState::at_phase, {.barrier = barrier}, phase, site);
}

}  // namespace warpgauge_emulator
