// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/block_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/execution/interruption.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"
#include "profiling/emulator/models/device_limits.hpp"

namespace warpgauge::emulator {
namespace {

// The body of a lane's fiber, for block after block.
void lane_main() {
  for (;;) {
    warpgauge_emulator_thread_memory.runner->call_kernel();
    Lane& lane = *warpgauge_emulator_thread_memory.lane;
    lane.state = LaneState::finished;
    lane.fiber.suspend();
  }
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
  cluster_ = nullptr;
  store_turns_ = nullptr;
  analysis_.begin_launch(launch, shared_begin);
  barriers_ = 0;
  fenced_ = false;
  completed_ = true;
  lanes_ = std::span(all_lanes_).first(launch.threads());
  warps_.assign((lanes_.size() + kWarpLanes - 1) / kWarpLanes, Warp());
  for (Warp& warp : warps_) warp.clocks.follow(thread_clocks_);
  start_lanes();
}

// Abandons what they were doing.
void BlockRunner::start_lanes() {
  traces_.reset();
  for (Warp& warp : warps_) warp.traces = nullptr;
  for (unsigned thread = 0; thread < lanes_.size(); ++thread) {
    Lane& lane = lanes_[thread];
    lane.thread = thread;
    lane.thread_index = launch_.thread_index(thread);
    lane.text_begin = program_.text_begin();
    lane.stack_bottom = reinterpret_cast<std::uintptr_t>(stacks_.bottom(thread));
    lane.trace_begin = lane.trace_end = lane.next = lane.unread = nullptr;
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
  if (cluster_ == nullptr) analysis_.begin_block(block);
  spent_ = 0;
  extensions_ = 0;
  noted_uncounted_ = {};
  phase_barriers_.begin_block();
  thread_clocks_.begin_block(launch_.threads());
  uses_phases_ = false;
  arrival_in_cluster_.reset();
  begin_epoch();
  for (Lane& lane : lanes_) {
    lane.state = LaneState::ready;
    lane.clock_seen = nullptr;
    lane.put_off = 0;
    lane.arrived_in_cluster.reset();
  }
  try {
    for (;;) {
      for (unsigned warp = 0; warp < warps_.size(); ++warp) run_warp(warp);
      if (uses_phases_ && complete_phases()) continue;
      if (any(LaneState::trace_full)) {
        wait_for_others();  // a lane may wait for another block
        continue;
      }
      if (std::all_of(lanes_.begin(), lanes_.end(),
                      [](const Lane& lane) { return lane.state == LaneState::finished; })) {
        analysis_.end_in_cluster();
        analysis_.end_block();
        return true;
      }
      if (waits_for_cluster()) {
        require_turn(residents_->await_arrivals(place_, *arrival_in_cluster_));
        continue;
      }
      complete_block_barrier();
    }
  } catch (const Stopped&) {
    analysis_.end_block();
    completed_ = false;
    start_lanes();
    return false;
  }
}

void BlockRunner::begin_epoch() {
  for (Warp& warp : warps_) warp.clocks.begin_epoch(analysis_.epoch());
}

bool BlockRunner::run_together(std::uint64_t block, std::size_t place, ResidentBlocks& residents) {
  if (residents.await_first_turn(place) != ResidentBlocks::Turn::granted) return false;
  residents_ = &residents;
  place_ = place;
  const bool completed = run(block);
  residents_ = nullptr;
  return completed;
}

void BlockRunner::require_turn(ResidentBlocks::Turn turn) {
  if (turn != ResidentBlocks::Turn::granted) throw Stopped();
}

void BlockRunner::wait_for_others() {
  if (residents_ == nullptr) {
    std::this_thread::yield();
    return;
  }
  const auto lags = [](const Lane& lane) { return lane.next != lane.trace_begin; };
  if (cluster_ != nullptr && std::ranges::any_of(lanes_, lags)) analysis_.lag_in_cluster();
  require_turn(residents_->let_others_run(place_));
}

void BlockRunner::run_warp(unsigned warp) {
  do {
    provide_traces(warp);
    const bool was_behind = std::exchange(warps_[warp].is_behind, false);
    const bool resumed = resume_ready_lanes(lanes_of(warp));
    if (was_behind) catch_up(warp);
    if (resumed || was_behind) merge(warp);
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

[[gnu::always_inline]] inline void BlockRunner::resume(Lane& lane) {
  const Record* before = lane.next;
  warpgauge_emulator_thread_index = lane.thread_index;
  warpgauge_emulator_thread_memory.lane = &lane;
  warpgauge_emulator_thread_memory.values = &analysis_.values();
  lane.fiber.resume();
  warpgauge_emulator_thread_memory.lane = nullptr;
  lane.end_store(lane.state != LaneState::faulted);
  analysis_.values().lane_stopped(lane.state == LaneState::trace_full);
  spent_ += kResumeCost + static_cast<std::uint64_t>(lane.next - before);
  if (uncounted_count_ > 0) [[unlikely]]
    tell_uncounted(lane);
  if (lane.state == LaneState::finished) spent_ = 0;
  if (lane.state == LaneState::faulted) stop_at_fault(lane);
  if (lane.state == LaneState::stopped) stop_by_itself(lane);
  if (spent_ > launch_.spin_budget) [[unlikely]]
    extend_budget(lane, before);
  if (interrupted()) [[unlikely]]
    throw Stopped();
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

// A loop that does nothing but look waits for a time to pass: the clock hurries for it, and runs
// evenly for all others.
long long BlockRunner::tick(Lane& lane) {
  constexpr unsigned kEvenLooks = 64;
  constexpr unsigned kMostDoublings = 24;
  const bool only_looked = lane.clock_seen != nullptr && lane.clock_seen <= lane.next &&
                           std::ranges::all_of(std::span<const Record>(lane.clock_seen, lane.next),
                                               [](const Record& record) {
                                                 return record.kind == RecordKind::block_entry;
                                               });
  lane.clock_looks = only_looked ? lane.clock_looks + 1 : 0;
  lane.clock_seen = lane.next;
  const unsigned beyond = lane.clock_looks - std::min(lane.clock_looks, kEvenLooks);
  return ticks_ += 1LL << std::min(beyond, kMostDoublings);
}

// Who stores, or goes on from address to address, works long; who spins looks at one place.
void BlockRunner::extend_budget(const Lane& lane, const Record* begin) {
  const std::span<const Record> records(begin, lane.next);
  const auto is_load = [](const Record& record) {
    return record.kind == RecordKind::load || record.kind == RecordKind::volatile_load ||
           record.kind == RecordKind::wide_load;
  };
  const auto last = std::find_if(records.rbegin(), records.rend(), is_load);
  const bool works = std::ranges::any_of(records, [&](const Record& record) {
    return is_plain_store(record.kind) ||
           (last != records.rend() && is_load(record) && record.pc == last->pc &&
            record.address != last->address);
  });
  if (works ? ++extensions_ > kMostExtensions : spent_ > launch_.spin_budget + kWatched) {
    stop_spinning(lane);
  }
  if (works) spent_ = 0;
}

void BlockRunner::merge(unsigned warp) {
  const std::span<Lane> lanes = lanes_of(warp);
  std::array<LaneTrace, kWarpLanes> traces;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    // A lane whose trace is full has not done yet what it recorded last: what it will read is
    // unknown.
    const bool full = lanes[i].state == LaneState::trace_full;
    traces[i] = {lanes[i].trace_begin, lanes[i].next - (full ? 1 : 0), full};
    if (lanes[i].put_off > 0) [[unlikely]]
      end_at_arrival(traces[i]);
  }
  merge_traces(std::span(traces).first(lanes.size()), [&](const Request& request) {
    if (request.record.kind == RecordKind::phase_over) [[unlikely]]
      return learn_late(request, warp * kWarpLanes);
    analysis_.observe(request, warp * kWarpLanes, warps_[warp].clocks);
  });
  bool late_fence = false;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const LaneTrace left = {traces[i].next, lanes[i].next};
    // Whoever runs before these are merged may read what they wrote.
    for (const Record* record = left.next; record != left.end; ++record) {
      if (is_plain_store(record->kind)) {
        analysis_.mark_written(address_of(*record), record->bytes);
      }
      late_fence |= record->kind == RecordKind::fence || record->kind == RecordKind::block_fence;
    }
    lanes[i].next = std::copy(left.next, left.end, lanes[i].trace_begin);
  }
  analysis_.set_late_fence(warp, late_fence);
}

void BlockRunner::complete_block_barrier() {
  require_barrier_of_all();
  const BarrierScope scope = scope_of(first_waiting());
  if (scope == BarrierScope::cluster) analysis_.arrive_in_cluster();
  if (scope != BarrierScope::block) await_other_blocks();
  if (scope == BarrierScope::cluster) analysis_.pass_in_cluster();
  unsigned count = 0;
  unsigned waiting = 0;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::finished) continue;
    if (lane.vote != BarrierVote::none) {
      analysis_.values_leave(lane.thread, 1U << lane.thread % kWarpLanes);
    }
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
  if (scope == BarrierScope::grid) analysis_.grid_barrier();
}

// At least one lane must wait.
const Lane& BlockRunner::first_waiting() const {
  return *std::find_if(lanes_.begin(), lanes_.end(),
                       [](const Lane& lane) { return lane.state != LaneState::finished; });
}

// The block that finds that the barrier never opens reports it; the others end with it.
void BlockRunner::await_other_blocks() {
  switch (residents_->await_barrier(place_)) {
    case ResidentBlocks::Turn::granted:
      return;
    case ResidentBlocks::Turn::abandoned:
      throw Stopped();
    case ResidentBlocks::Turn::deserted:
      stop(
          mistake_at(ErrorKind::barrier, first_waiting().waiting_at),
          fmt::format("barrier of the grid that some blocks do not reach: {} waits at {}, block {} "
                      "has returned",
                      describe_block(program_, launch_, block_), place(first_waiting().waiting_at),
                      to_string(launch_.block_index(residents_->first_ended().value()))));
  }
}

void BlockRunner::require_barrier_of_all() {
  if (any(LaneState::at_warp_operation)) stop_warp_deadlock();
  if (uses_phases_ && any(LaneState::at_phase)) stop_closed_barrier();
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
    one_scope &= scope_of(lane) == scope_of(first);
  }
  // One barrier in the source may have been compiled to several calls.
  const auto waits_elsewhere = [&, here = std::string()](const Lane& lane) mutable {
    if (lane.state == LaneState::finished) return false;
    if (here.empty()) here = place(first.waiting_at);
    return place(lane.waiting_at) != here;
  };
  if (!one_scope || (!one_call && std::any_of(lanes_.begin(), lanes_.end(), waits_elsewhere))) {
    // One barrier for all who have come, as hardware has it.
    const Mistake mistake = mistake_at(ErrorKind::barrier, first.waiting_at);
    if (!launch_.continue_after_errors || !one_scope) {
      stop(mistake, describe_barrier("divergent barrier"));
    }
    log(mistake, [&] { return describe_barrier("divergent barrier"); });
  }
  if (!some_have_returned) return;
  if (first.scope == BarrierScope::grid) {
    stop(mistake_at(ErrorKind::barrier, first.waiting_at),
         describe_barrier("exit before a barrier of the grid"));
  }
  remark_exit();
}

void BlockRunner::tell_uncounted(const Lane& lane) {
  for (const CallSite site : std::span(uncounted_).first(std::exchange(uncounted_count_, 0))) {
    log(mistake_at(ErrorKind::uncounted, site), [&] {
      return fmt::format("access to a texture or surface, which no figure counts: {}, at {}",
                         thread_text(lane), place(site));
    });
  }
}

// Threads that have returned leave the barrier, as from compute capability 7.0 on.
void BlockRunner::remark_exit() {
  log(mistake_at(ErrorKind::left_barrier, first_waiting().waiting_at),
      [&] { return describe_barrier("exit before a barrier"); });
}

}  // namespace warpgauge::emulator
