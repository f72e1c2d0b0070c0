// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/block_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <map>
#include <thread>
#include <utility>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"
#include "profiling/emulator/models/device_limits.hpp"

namespace warpgauge::emulator {
namespace {

// What a lane's fiber runs, block after block.
void lane_main() {
  for (;;) {
    warpgauge_emulator_thread_memory.runner->call_kernel();
    Lane& lane = *warpgauge_emulator_thread_memory.lane;
    lane.state = LaneState::finished;
    lane.fiber.suspend();
  }
}

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

std::uint32_t combine(WarpOperation reduction, std::uint32_t a, std::uint32_t b) {
  switch (reduction) {
    case WarpOperation::reduce_min:
      return std::min(a, b);
    case WarpOperation::reduce_max:
      return std::max(a, b);
    case WarpOperation::reduce_and:
      return a & b;
    case WarpOperation::reduce_or:
      return a | b;
    case WarpOperation::reduce_xor:
      return a ^ b;
    default:
      return a + b;
  }
}

// Over the values of the lanes named in `mask`, at least one.
std::uint32_t reduce(WarpOperation reduction, std::span<const Lane> lanes, std::uint32_t mask) {
  const auto first_value = [&] {
    const Lane& lane = lanes[static_cast<std::size_t>(std::countr_zero(mask))];
    return static_cast<std::uint32_t>(lane.value);
  };
  std::uint32_t result = first_value();
  while ((mask &= mask - 1) != 0) result = combine(reduction, result, first_value());
  return result;
}

// Lanes reconverge as the merge has it: the deepest call first, then the smallest address.
std::pair<std::uintptr_t, std::uintptr_t> convergence_order(const Lane& lane) {
  return {reinterpret_cast<std::uintptr_t>(lane.waiting_at.frame) - lane.stack_top,
          reinterpret_cast<std::uintptr_t>(lane.waiting_at.return_address)};
}

ErrorKind error_kind(StopReason reason) {
  switch (reason) {
    case StopReason::trap:
      return ErrorKind::trap;
    case StopReason::assertion:
      return ErrorKind::assertion;
    case StopReason::invalid_call:
      break;
  }
  return ErrorKind::invalid_call;
}

}  // namespace

BlockRunner::BlockRunner(Program& program, const DeviceMemory& memory, GlobalShadow& global_shadow)
    : program_(program),
      memory_(memory),
      analysis_(program, memory, global_shadow),
      stacks_(kMaxThreadsPerBlock),
      all_lanes_(kMaxThreadsPerBlock) {}

void BlockRunner::begin_launch(const Launch& launch, std::uintptr_t shared_begin) {
  launch_ = launch;
  residents_ = nullptr;
  analysis_.begin_launch(launch, shared_begin);
  barriers_ = 0;
  fenced_ = false;
  lanes_ = std::span(all_lanes_).first(launch.threads());
  warps_.assign((lanes_.size() + kWarpLanes - 1) / kWarpLanes, Warp());
  traces_.reset();
  for (unsigned thread = 0; thread < lanes_.size(); ++thread) {
    Lane& lane = lanes_[thread];
    lane.thread = thread;
    lane.thread_index = launch.thread_index(thread);
    lane.text_begin = program_.text_begin();
    lane.stack_bottom = reinterpret_cast<std::uintptr_t>(stacks_.bottom(thread));
    lane.trace_begin = lane.trace_end = lane.next = nullptr;
    lane.stack_top = reinterpret_cast<std::uintptr_t>(stacks_.top(thread));
    lane.fiber.start(stacks_.bottom(thread), stacks_.top(thread), &lane_main);
  }
}

std::span<Lane> BlockRunner::lanes_of(unsigned warp) {
  const std::size_t first = std::size_t{warp} * kWarpLanes;
  return lanes_.subspan(first, std::min<std::size_t>(kWarpLanes, lanes_.size() - first));
}

bool BlockRunner::any(LaneState state) const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [&](const Lane& lane) { return lane.state == state; });
}

bool BlockRunner::run(std::uint64_t block) {
  block_ = block;
  warpgauge_emulator_block_index = launch_.block_index(block);
  analysis_.begin_block(block);
  spent_ = 0;
  begin_epoch();
  for (Lane& lane : lanes_) lane.state = LaneState::ready;
  try {
    for (;;) {
      for (unsigned warp = 0; warp < warps_.size(); ++warp) run_warp(warp);
      if (any(LaneState::trace_full)) {
        wait_for_others();  // a lane may wait for another block
        continue;
      }
      if (std::all_of(lanes_.begin(), lanes_.end(),
                      [](const Lane& lane) { return lane.state == LaneState::finished; })) {
        return true;
      }
      complete_block_barrier();
    }
  } catch (const Stopped&) {
    return false;
  }
}

void BlockRunner::begin_epoch() {
  for (Warp& warp : warps_) warp.clocks.begin_epoch(analysis_.epoch());
}

bool BlockRunner::run_together(std::uint64_t block, ResidentBlocks& residents) {
  if (residents.await_first_turn(block) != ResidentBlocks::Turn::granted) return false;
  residents_ = &residents;
  const bool completed = run(block);
  residents_ = nullptr;
  return completed;
}

void BlockRunner::wait_for_others() {
  if (residents_ == nullptr) {
    std::this_thread::yield();
  } else if (residents_->let_others_run(block_) != ResidentBlocks::Turn::granted) {
    throw Stopped();
  }
}

void BlockRunner::run_warp(unsigned warp) {
  do {
    provide_traces(warp);
    if (resume_ready_lanes(lanes_of(warp))) merge(warp);
  } while (complete_warp_operations(warp));
  Warp& state = warps_[warp];
  const auto merged = [](const Lane& lane) { return lane.next == lane.trace_begin; };
  const std::span<Lane> lanes = lanes_of(warp);
  if (std::all_of(lanes.begin(), lanes.end(), merged)) {
    traces_.give_back(std::exchange(state.traces, nullptr));
  }
}

void BlockRunner::provide_traces(unsigned warp) {
  Warp& state = warps_[warp];
  if (state.traces != nullptr) return;
  state.traces = traces_.take();
  const std::span<Lane> lanes = lanes_of(warp);
  if (lanes.front().trace_begin == state.traces) return;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].trace_begin = state.traces + i * TraceBuffers::kLaneStride;
    lanes[i].trace_end = lanes[i].trace_begin + TraceBuffers::kLaneRecords;
    lanes[i].next = lanes[i].trace_begin;
  }
}

bool BlockRunner::resume_ready_lanes(std::span<Lane> lanes) {
  bool resumed = false;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (i + 1 < lanes.size()) lanes[i + 1].fiber.prefetch();
    Lane& lane = lanes[i];
    if (lane.state == LaneState::trace_full && lane.next != lane.trace_end) {
      lane.state = LaneState::ready;
    }
    if (lane.state != LaneState::ready) continue;
    resume(lane);
    resumed = true;
  }
  return resumed;
}

void BlockRunner::resume(Lane& lane) {
  const Record* before = lane.next;
  warpgauge_emulator_thread_index = lane.thread_index;
  warpgauge_emulator_thread_memory.lane = &lane;
  warpgauge_emulator_thread_memory.values = &analysis_.values();
  lane.fiber.resume();
  warpgauge_emulator_thread_memory.lane = nullptr;
  analysis_.values().lane_stopped(lane.state == LaneState::trace_full);
  spent_ += kResumeCost + static_cast<std::uint64_t>(lane.next - before);
  if (lane.state == LaneState::finished) spent_ = 0;
  if (lane.state == LaneState::faulted) stop_at_fault(lane);
  if (lane.state == LaneState::stopped) stop_by_itself(lane);
  if (spent_ > launch_.spin_budget) stop_spinning(lane);
}

void BlockRunner::merge(unsigned warp) {
  const std::span<Lane> lanes = lanes_of(warp);
  std::array<LaneTrace, kWarpLanes> traces;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    traces[i] = {lanes[i].trace_begin, lanes[i].next, lanes[i].state == LaneState::trace_full};
  }
  merge_traces(std::span(traces).first(lanes.size()), [&](const Request& request) {
    analysis_.observe(request, warp * kWarpLanes, warps_[warp].clocks);
  });
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const LaneTrace& left = traces[i];
    // Whoever runs before these are merged may read what they wrote.
    for (const Record* record = left.next; record != left.end; ++record) {
      const RecordKind kind = record->kind;
      if (kind != RecordKind::store && kind != RecordKind::volatile_store) continue;
      analysis_.mark_written(record->address, record->bytes);
    }
    lanes[i].next = std::copy(left.next, left.end, lanes[i].trace_begin);
  }
}

// The lanes that take part in the operation that `lane` waits for, or 0 while some are absent.
// Lanes that have finished are not waited for. Nobody is waited for where lanes only converge.
std::uint32_t BlockRunner::participants(std::span<const Lane> lanes, const Lane& lane) const {
  std::uint32_t taking_part = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Lane& other = lanes[i];
    if (lane.operation == WarpOperation::converge) {
      if (other.state != LaneState::at_warp_operation || other.operation != lane.operation) {
        continue;
      }
      const auto order = convergence_order(other) <=> convergence_order(lane);
      if (std::is_lt(order)) return 0;  // those come first, and may yet come here
      if (std::is_eq(order)) taking_part |= 1U << i;
      continue;
    }
    if ((lane.mask >> i & 1U) == 0 || other.state == LaneState::finished) continue;
    if (other.state != LaneState::at_warp_operation || other.operation != lane.operation ||
        other.mask != lane.mask) {
      return 0;
    }
    taking_part |= 1U << i;
  }
  return taking_part;
}

bool BlockRunner::complete_warp_operations(unsigned warp) {
  const std::span<Lane> lanes = lanes_of(warp);
  bool completed = false;
  for (Lane& lane : lanes) {
    if (lane.state != LaneState::at_warp_operation) continue;
    if ((lane.mask >> lane.thread % kWarpLanes & 1U) == 0) {
      stop(ErrorKind::warp_operation,
           fmt::format("lane not in its own mask: {} calls {} with mask {:#010x}, at {}",
                       thread_text(lane), operation_name(lane.operation), lane.mask,
                       place(lane.waiting_at)));
    }
    const std::uint32_t taking_part = participants(lanes, lane);
    if (taking_part == 0) continue;
    if (lane.operation == WarpOperation::synchronize) {
      warps_[warp].clocks.synchronize(taking_part, analysis_.next_stamp());
    }
    complete_warp_operation(lanes, taking_part);
    completed = true;
  }
  return completed;
}

void BlockRunner::complete_warp_operation(std::span<Lane> lanes, std::uint32_t taking_part) {
  const auto bits_where = [&](auto&& holds) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if ((taking_part >> i & 1U) != 0 && holds(lanes[i])) bits |= 1U << i;
    }
    return bits;
  };
  const std::uint32_t ballot = bits_where([](const Lane& lane) { return lane.value != 0; });
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if ((taking_part >> i & 1U) == 0) continue;
    Lane& lane = lanes[i];
    switch (lane.operation) {
      case WarpOperation::synchronize:
        break;
      case WarpOperation::converge:
        lane.result = taking_part;
        break;
      case WarpOperation::shuffle:
        if ((taking_part >> lane.source & 1U) == 0) {
          stop(ErrorKind::warp_operation,
               fmt::format("shuffle with an absent lane: {} reads from lane {}, which takes no "
                           "part (mask {:#010x}), at {}",
                           thread_text(lane), lane.source, lane.mask, place(lane.waiting_at)));
        }
        lane.result = lanes[lane.source].value;
        break;
      case WarpOperation::ballot:
        lane.result = ballot;
        break;
      case WarpOperation::match:
        lane.result = bits_where([&](const Lane& other) { return other.value == lane.value; });
        break;
      case WarpOperation::match_all: {
        const auto same = bits_where([&](const Lane& other) { return other.value == lane.value; });
        lane.result = same == taking_part ? taking_part : 0;
        break;
      }
      default:
        lane.result = reduce(lane.operation, lanes, taking_part);
        break;
    }
    lane.state = LaneState::ready;
  }
}

void BlockRunner::complete_block_barrier() {
  require_barrier_of_all();
  const bool of_grid = first_waiting().scope == BarrierScope::grid;
  if (of_grid) await_grid_barrier();
  unsigned count = 0;
  unsigned waiting = 0;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::finished) continue;
    count += lane.predicate ? 1 : 0;
    ++waiting;
  }
  for (Lane& lane : lanes_) {
    if (lane.state == LaneState::finished) continue;
    switch (lane.vote) {
      case BarrierVote::none:
        lane.result = 0;
        break;
      case BarrierVote::count:
        lane.result = count;
        break;
      case BarrierVote::conjunction:
        lane.result = count == waiting;
        break;
      case BarrierVote::disjunction:
        lane.result = count > 0;
        break;
    }
    lane.state = LaneState::ready;
  }
  ++barriers_;
  analysis_.block_barrier();
  begin_epoch();
  if (of_grid) analysis_.grid_barrier();
}

// Some lane does wait.
const Lane& BlockRunner::first_waiting() const {
  return *std::find_if(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return lane.state != LaneState::finished; });
}

// The block that finds that the barrier never opens tells so; the others end with it.
void BlockRunner::await_grid_barrier() {
  switch (residents_->await_grid_barrier(block_)) {
    case ResidentBlocks::Turn::granted:
      return;
    case ResidentBlocks::Turn::abandoned:
      throw Stopped();
    case ResidentBlocks::Turn::deserted:
      stop(ErrorKind::barrier,
           fmt::format("barrier of the grid that not all blocks reach: {} waits at {}, block {} "
                       "has returned",
                       describe_block(program_, launch_, block_), place(first_waiting().waiting_at),
                       to_string(launch_.block_index(residents_->first_ended().value()))));
  }
}

void BlockRunner::require_barrier_of_all() {
  if (any(LaneState::at_warp_operation)) stop_warp_deadlock();
  const Lane& first = first_waiting();
  bool one_call = true;
  bool one_scope = true;
  bool some_have_returned = false;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::finished) {
      some_have_returned = true;
      continue;
    }
    one_call &= lane.waiting_at.return_address == first.waiting_at.return_address;
    one_scope &= lane.scope == first.scope;
  }
  // One barrier in the source may have been compiled to several calls.
  const auto waits_elsewhere = [&, here = std::string()](const Lane& lane) mutable {
    if (lane.state == LaneState::finished) return false;
    if (here.empty()) here = place(first.waiting_at);
    return place(lane.waiting_at) != here;
  };
  if (!one_scope || (!one_call && std::any_of(lanes_.begin(), lanes_.end(), waits_elsewhere))) {
    stop(ErrorKind::barrier, describe_barrier("divergent barrier"));
  }
  if (!some_have_returned) return;
  if (first.scope == BarrierScope::grid) {
    stop(ErrorKind::barrier, describe_barrier("exit before a barrier of the grid"));
  }
  remark_exit();
}

// Threads that have returned leave the barrier, as from compute capability 7.0 on.
void BlockRunner::remark_exit() {
  std::string key = "exit " + place(first_waiting().waiting_at);
  if (!analysis_.remarks().is_new(key)) return;
  analysis_.remarks().add(
      {ErrorKind::barrier, block_, std::move(key), describe_barrier("exit before a barrier")});
}

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

void BlockRunner::stop(ErrorKind kind, const std::string& text) {
  analysis_.errors().add({kind, block_, text, text});
  throw Stopped();
}

void BlockRunner::stop_at_fault(const Lane& lane) {
  const bool in_guard = lane.stack_bottom - lane.fault_address <= FiberStacks::kGuardBytes;
  if (in_guard) {
    stop(ErrorKind::stack_overflow,
         fmt::format("stack overflow: {} uses more than {} KiB of stack, last seen at {}",
                     thread_text(lane), FiberStacks::kUsableBytes >> 10, last_place(lane)));
  }
  // The processor does not say that it is the alignment it minds.
  if (lane.fault_address == 0 && lane.next != lane.trace_begin &&
      !analysis_.require_aligned(*(lane.next - 1), (lane.next - 1)->address, lane.thread)) {
    throw Stopped();
  }
  // The processor does not tell addresses that are not canonical.
  const std::uintptr_t address = lane.fault_address != 0 || lane.next == lane.trace_begin
                                     ? lane.fault_address
                                     : (lane.next - 1)->address;
  stop(ErrorKind::fault,
       fmt::format("{}: {} faults at {}, last seen at {}",
                   memory_.was_freed(address) ? "use after free" : "invalid address",
                   thread_text(lane), memory_.describe(address), last_place(lane)));
}

void BlockRunner::stop_by_itself(const Lane& lane) {
  stop(error_kind(lane.stop_reason),
       fmt::format("{}: {}, at {}", lane.stop_text, thread_text(lane), place(lane.waiting_at)));
}

void BlockRunner::stop_spinning(const Lane& lane) {
  stop(ErrorKind::no_progress,
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
      stop(ErrorKind::warp_operation,
           fmt::format("warp deadlock: {} waits in {} with mask {:#010x} at {} for thread {}, "
                       "which {}",
                       thread_text(lane), operation_name(lane.operation), lane.mask,
                       place(lane.waiting_at), to_string(absent->thread_index),
                       whereabouts(*absent)));
    }
  }
  stop(ErrorKind::warp_operation,
       fmt::format("warp deadlock: {}", describe_block(program_, launch_, block_)));
}

std::string BlockRunner::whereabouts(const Lane& lane) {
  if (lane.state == LaneState::at_block_barrier) {
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
