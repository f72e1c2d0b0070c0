// SPDX-License-Identifier: Apache-2.0
// A CUDA thread: its fiber, what it waits for, and its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "profiling/emulator/execution/lanes/fiber.hpp"
#include "profiling/emulator/execution/lanes/store_turns.hpp"
#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/include/warpgauge_emulator/abi.h"

namespace warpgauge::emulator {

using warpgauge_emulator::Arrival;
using warpgauge_emulator::BarrierScope;
using warpgauge_emulator::BarrierVote;
using warpgauge_emulator::BarrierWork;
using warpgauge_emulator::CallSite;
using warpgauge_emulator::StopReason;
using warpgauge_emulator::WarpOperation;
using warpgauge_emulator::WarpWork;

enum class LaneState : std::uint8_t {
  ready,
  trace_full,  // continues after its trace has been merged
  at_block_barrier,
  at_warp_operation,
  beginning,   // a barrier of some threads
  arriving,    // at one
  completing,  // the last to arrive has done what comes between two phases
  at_phase,    // of one, until it is over
  finished,
  faulted,
  stopped,  // itself
};

struct Lane {
  // Hot: used by every access.
  Record* next = nullptr;
  Record* trace_end = nullptr;
  std::uintptr_t stack_bottom = 0;
  std::uintptr_t stack_top = 0;
  std::uintptr_t text_begin = 0;
  Record* unread = nullptr;  // a plain store to global memory, the last record: see digest_of()
  StoreTurns::Turn* turn = nullptr;  // to make that store; null: no other thread makes any

  Record* trace_begin = nullptr;
  LaneState state = LaneState::ready;
  unsigned thread = 0;  // within the block
  uint3 thread_index{};
  Fiber fiber;

  CallSite waiting_at{};
  bool predicate = false;  // at_block_barrier
  BarrierScope scope = BarrierScope::block;
  BarrierVote vote = BarrierVote::none;
  WarpOperation operation = WarpOperation::synchronize;  // at_warp_operation
  unsigned mask = 0;
  unsigned source = 0;
  std::uint64_t value = 0;   // given to the operation
  std::uint64_t result = 0;  // of the barrier or operation
  Arrival arrival;           // arriving, at_phase
  std::uint64_t phase = 0;   // that it arrived in, or waits for
  unsigned put_off = 0;      // arrivals in its trace
  // The phase of the cluster's barrier that it arrived in; none: it has waited since.
  std::optional<std::uint64_t> arrived_in_cluster;
  std::uintptr_t fault_address = 0;
  std::uintptr_t fault_instruction = 0;
  int fault_signal = 0;
  StopReason stop_reason = StopReason::invalid_call;  // stopped
  const char* stop_text = "";                         // on its stack, or for ever
  // Where its trace ended when it last looked at the clock; nullptr: it has waited since, and may
  // have another trace.
  const Record* clock_seen = nullptr;
  unsigned clock_looks = 0;   // in a row, with no access between
  const char* together = "";  // what it waits to do with all lanes

  // The store of `unread` has been made, or never will be.
  void end_store(bool made) {
    Record* const stored = std::exchange(unread, nullptr);
    if (stored == nullptr) return;
    if (made) read_back(*stored);
    if (turn != nullptr) std::exchange(turn, nullptr)->end();
  }
};

}  // namespace warpgauge::emulator
