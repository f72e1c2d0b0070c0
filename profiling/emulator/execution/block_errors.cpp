// SPDX-License-Identifier: Apache-2.0
// How BlockRunner stops a block that cannot continue, and how it describes the block's threads.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {
namespace {

const char* operation_name(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::synchronize:
      return "__syncwarp";
    case WarpOperation::shuffle:
      return "a shuffle";
    case WarpOperation::ballot:
      return "a vote";
    case WarpOperation::match:
    case WarpOperation::match_all:
      return "a match";
    case WarpOperation::converge:
      return "__activemask";
    case WarpOperation::together:
      return "an operation on matrices";
    case WarpOperation::reduce_add:
    case WarpOperation::reduce_min:
    case WarpOperation::reduce_max:
    case WarpOperation::reduce_and:
    case WarpOperation::reduce_or:
    case WarpOperation::reduce_xor:
      return "a reduction";
  }
  return "";
}

ErrorKind error_kind(StopReason reason) {
  switch (reason) {
    case StopReason::trap:
      return ErrorKind::trap;
    case StopReason::assertion:
      return ErrorKind::assertion;
    case StopReason::invalid_call:
    case StopReason::undefined_result:
      break;
  }
  return ErrorKind::invalid_call;
}

}  // namespace

std::string BlockRunner::describe_barrier(const char* what) {
  std::map<std::string, std::size_t> waiting;
  const Lane* returned = nullptr;
  std::size_t returned_count = 0;
  for (const Lane& lane : lanes_) {
    if (lane.state != LaneState::finished) {
      ++waiting[place(lane.waiting_at)];
    } else if (returned_count++ == 0) {
      returned = &lane;
    }
  }
  std::string text = fmt::format("{}: {}", what, describe_block(program_, launch_, block_));
  const char* separator = ": ";
  for (const auto& [where, threads] : waiting) {
    text += fmt::format("{}{} threads wait at {}", separator, threads, where);
    separator = ", ";
  }
  if (returned != nullptr) {
    text += fmt::format(", {} threads have returned, thread {} the first", returned_count,
                        to_string(returned->thread_index));
  }
  return text;
}

Mistake BlockRunner::mistake_at(ErrorKind kind, CallSite site) const {
  const auto address = reinterpret_cast<std::uintptr_t>(site.return_address);
  return {kind, static_cast<std::uint32_t>(address - program_.text_begin())};
}

Mistake BlockRunner::mistake_at_last_place(ErrorKind kind, const Lane& lane) {
  return {kind, lane.next == lane.trace_begin ? 0 : (lane.next - 1)->pc};
}

void BlockRunner::stop(const Mistake& mistake, const std::string& text) {
  log(mistake, [&] { return text; });
  throw Stopped();
}

void BlockRunner::stop_at_fault(const Lane& lane) {
  if (lane.fault_signal == SIGFPE) stop_at_division(lane);
  // A large frame may reach beyond the guard of its own stack.
  if (stacks_.hold(lane.fault_address)) {
    stop(mistake_at_last_place(ErrorKind::stack_overflow, lane),
         fmt::format("stack overflow: {} uses more than {} KiB of stack, last seen at {}",
                     thread_text(lane), FiberStacks::kUsableBytes >> 10, last_place(lane)));
  }
  // The processor does not say that the cause is the alignment.
  if (lane.fault_address == 0 && lane.next != lane.trace_begin &&
      !analysis_.require_aligned(*(lane.next - 1), (lane.next - 1)->address, lane.thread)) {
    throw Stopped();
  }
  // The processor does not report non-canonical addresses.
  const std::uintptr_t address = lane.fault_address != 0 || lane.next == lane.trace_begin
                                     ? lane.fault_address
                                     : (lane.next - 1)->address;
  if (lane.next != lane.trace_begin &&
      analysis_.report_if_meant_for_shared(*(lane.next - 1), address, lane.thread,
                                           others_reach_shared(lane))) {
    throw Stopped();
  }
  stop(mistake_at_last_place(ErrorKind::fault, lane),
       fmt::format("{}: {} faults at {}, last seen at {}",
                   memory_.was_freed(address) ? "use after free" : "invalid address",
                   thread_text(lane), memory_.describe(address), last_place(lane)));
}

// Whether a lane of the warp that ran before has accessed shared memory where this one is.
bool BlockRunner::others_reach_shared(const Lane& lane) const {
  const unsigned first = lane.thread / kWarpLanes * kWarpLanes;
  for (unsigned thread = first; thread < lane.thread; ++thread) {
    const Lane& other = lanes_[thread];
    for (const Record* record = other.trace_begin; record != other.next; ++record) {
      if (operation_of(*record) == operation_of(*(lane.next - 1)) &&
          analysis_.is_shared(address_of(*record))) {
        return true;
      }
    }
  }
  return false;
}

// The processor cannot tell the two.
void BlockRunner::stop_at_division(const Lane& lane) {
  const auto pc = static_cast<std::uint32_t>(lane.fault_instruction + 1 - program_.text_begin());
  const SourceLocation location = program_.locate(pc);
  const Mistake mistake = location.line > 0 ? Mistake{ErrorKind::division, pc}
                                            : mistake_at_last_place(ErrorKind::division, lane);
  stop(mistake,
       fmt::format("integer division by zero, or of the smallest integer by -1: {}, at {}; a GPU "
                   "continues with an undefined result",
                   thread_text(lane), location.line > 0 ? to_string(location) : last_place(lane)));
}

void BlockRunner::stop_by_itself(const Lane& lane) {
  stop(mistake_at(error_kind(lane.stop_reason), lane.waiting_at),
       fmt::format("{}: {}, at {}", lane.stop_text, thread_text(lane), place(lane.waiting_at)));
}

void BlockRunner::stop_outside_mask(const Lane& lane) {
  stop(mistake_at(ErrorKind::warp_operation, lane.waiting_at),
       fmt::format("lane not in its own mask: {} calls {} with mask {:#010x}, at {}",
                   thread_text(lane), operation_name(lane.operation), lane.mask,
                   place(lane.waiting_at)));
}

void BlockRunner::stop_absent_source(const Lane& lane) {
  stop(mistake_at(ErrorKind::warp_operation, lane.waiting_at),
       fmt::format("shuffle with an absent lane: {} reads from lane {}, which takes no "
                   "part (mask {:#010x}), at {}",
                   thread_text(lane), lane.source, lane.mask, place(lane.waiting_at)));
}

void BlockRunner::stop_incomplete_warp(const Lane& lane) {
  stop(
      mistake_at(ErrorKind::warp_operation, lane.waiting_at),
      fmt::format("{} without all lanes: {} is at {}, and others of its warp have returned, do not "
                  "exist or do something else",
                  lane.together, thread_text(lane), place(lane.waiting_at)));
}

void BlockRunner::stop_spinning(const Lane& lane) {
  stop(mistake_at_last_place(ErrorKind::no_progress, lane),
       fmt::format("no progress: {} spins, last seen at {}; no thread of the block has finished "
                   "for {} steps (does it wait for a block that has not started?)",
                   thread_text(lane), last_place(lane), launch_.spin_budget));
}

void BlockRunner::stop_warp_deadlock() {
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    const std::span<Lane> lanes = lanes_of(warp);
    for (const Lane& lane : lanes) {
      if (lane.state != LaneState::at_warp_operation) continue;
      const auto absent = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& other) {
        return (lane.mask >> other.thread % kWarpLanes & 1U) != 0 &&
               other.state != LaneState::finished &&
               (other.state != LaneState::at_warp_operation || other.mask != lane.mask ||
                other.operation != lane.operation);
      });
      if (absent == lanes.end()) continue;
      stop(mistake_at(ErrorKind::warp_operation, lane.waiting_at),
           fmt::format("warp deadlock: {} waits in {} with mask {:#010x} at {} for thread {}, "
                       "which {}",
                       thread_text(lane), operation_name(lane.operation), lane.mask,
                       place(lane.waiting_at), to_string(absent->thread_index),
                       whereabouts(*absent)));
    }
  }
  stop({ErrorKind::warp_operation},
       fmt::format("warp deadlock: {}", describe_block(program_, launch_, block_)));
}

std::string BlockRunner::whereabouts(const Lane& lane) {
  if (lane.state == LaneState::at_block_barrier || lane.state == LaneState::at_phase) {
    return fmt::format("waits at the barrier at {}", place(lane.waiting_at));
  }
  return fmt::format("waits in {} with mask {:#010x} at {}", operation_name(lane.operation),
                     lane.mask, place(lane.waiting_at));
}

std::string BlockRunner::last_place(const Lane& lane) {
  if (lane.next == lane.trace_begin) return "an unknown place";
  return to_string(program_.locate((lane.next - 1)->pc));
}

std::string BlockRunner::place(CallSite site) {
  const auto address = reinterpret_cast<std::uintptr_t>(site.return_address);
  return to_string(program_.locate(static_cast<std::uint32_t>(address - program_.text_begin())));
}

std::string BlockRunner::thread_text(const Lane& lane) {
  return describe_thread(program_, launch_, block_, lane.thread);
}

}  // namespace warpgauge::emulator
