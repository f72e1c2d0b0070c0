// SPDX-License-Identifier: Apache-2.0
// Runs blocks, one at a time, on the thread that made it: resumes lanes until all of them wait or
// have finished, merges what they did, and lets barriers and warp operations through.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/execution/barriers/phase_barriers.hpp"
#include "profiling/emulator/execution/barriers/thread_clocks.hpp"
#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/execution/lanes/trace_buffers.hpp"
#include "profiling/emulator/execution/resident_blocks.hpp"
#include "profiling/emulator/models/access_analysis.hpp"

namespace warpgauge::emulator {

class BlockRunner {
 public:
  BlockRunner(Program& program, const DeviceMemory& memory, GlobalShadow& global_shadow);

  // shared_begin: address of the calling thread's shared memory.
  void begin_launch(const Launch& launch, std::uintptr_t shared_begin);

  // Must run on a thread whose thread memory names this runner. False: an error stopped the block
  // and the launch.
  [[nodiscard]] bool run(std::uint64_t block);

  // The same for a block of a cooperative launch or a cluster, together with the others. place:
  // among them.
  [[nodiscard]] bool run_together(std::uint64_t block, std::size_t place,
                                  ResidentBlocks& residents);

  // For the launch that has begun: its blocks are those of this rank in clusters. They begin before
  // any block of their cluster runs.
  void join_cluster(ClusterMemory& cluster, unsigned rank) {
    cluster_ = &cluster;
    analysis_.join_cluster(cluster, rank);
  }
  void begin_block_of_cluster(std::uint64_t block) { analysis_.begin_block(block); }

  // For the launch that has begun: other threads run blocks of it at the same time.
  void share_memory(StoreTurns& turns) { store_turns_ = &turns; }

  [[nodiscard]] const Traffic& traffic() const { return analysis_.traffic(); }
  // Of any severity.
  [[nodiscard]] const std::vector<KernelError>& errors() { return analysis_.errors().errors(); }
  // Whether all blocks ran to their end.
  [[nodiscard]] bool completed() const { return completed_; }
  [[nodiscard]] std::uint64_t barriers() const { return barriers_; }

  // Whether blocks of this launch used operations by which blocks communicate.
  [[nodiscard]] bool communicates() const { return fenced_ || analysis_.saw_communication(); }

  // Requests of running kernel code.
  [[nodiscard]] bool cooperative() const { return launch_.cooperative; }
  [[nodiscard]] unsigned thread_count() const { return launch_.threads(); }
  [[nodiscard]] uint3 cluster_dimensions() const { return launch_.cluster; }
  // nullptr: the block is alone.
  [[nodiscard]] const ClusterMemory* cluster() const { return cluster_; }
  // nullptr: no other thread stores to global memory.
  [[nodiscard]] StoreTurns* store_turns() const { return store_turns_; }
  // The clock, looked at by the running lane.
  [[nodiscard]] long long tick(Lane& lane);
  [[nodiscard]] bool is_shared(std::uintptr_t address) const {
    return analysis_.is_shared(address);
  }
  [[nodiscard]] std::uintptr_t offset_in_shared(std::uintptr_t address) const {
    return analysis_.offset_in_shared(address);
  }
  // The barriers of some threads of the block. Who asks is about to use them.
  [[nodiscard]] PhaseBarriers& phase_barriers() {
    uses_phases_ = true;
    return phase_barriers_;
  }
  void note_fence() { fenced_ = true; }
  // An access that no figure has. Told later, where there is more stack than a kernel's; it must
  // not allocate, since new is the kernel's here. Where there are too many, the next thread is
  // asked for the rest.
  void note_uncounted(CallSite site) {
    const auto place = reinterpret_cast<std::uintptr_t>(site.return_address);
    const void*& noted = noted_uncounted_[place % noted_uncounted_.size()];
    if (noted == site.return_address || uncounted_count_ == uncounted_.size()) return;
    noted = site.return_address;
    uncounted_[uncounted_count_++] = site;
  }
  // Announces a write to these bytes that is recorded as another operation.
  void note_overwritten(const void* address, std::size_t bytes) {
    analysis_.mark_written(reinterpret_cast<std::uintptr_t>(address), bytes);
  }
  void call_kernel() const { launch_.call.invoke(launch_.call.arguments); }

 private:
  // The cost of resuming a lane, in records of the spin budget.
  static constexpr std::uint64_t kResumeCost = 64;
  // How often a thread that is seen to work gets another spin budget.
  static constexpr unsigned kMostExtensions = 16;
  // How long all threads are looked at for that, beyond the budget: a matrix product does much
  // between two accesses.
  static constexpr std::uint64_t kWatched = 1 << 23;

  struct Warp {
    WarpClocks clocks;
    Record* traces = nullptr;  // null: all its lanes' records have been merged
    bool is_behind = false;    // some records can be merged that could not when its lanes last ran
  };

  struct Stopped {};  // thrown after the error has been logged

  void start_lanes();
  [[nodiscard]] std::span<Lane> lanes_of(unsigned warp);
  void run_warp(unsigned warp);
  [[nodiscard]] bool resume_ready_lanes(std::span<Lane> lanes);
  void resume(Lane& lane);
  void extend_budget(const Lane& lane, const Record* begin);
  void provide_traces(unsigned warp);
  void merge(unsigned warp);
  [[nodiscard]] bool complete_warp_operations(unsigned warp);
  [[nodiscard]] std::uint32_t participants(std::span<const Lane> lanes, const Lane& lane) const;
  void complete_warp_operation(std::span<Lane> lanes, std::uint32_t taking_part);
  void work_together(std::span<Lane> lanes, std::uint32_t taking_part);
  void begin_epoch();
  void wait_for_others();
  static void require_turn(ResidentBlocks::Turn turn);
  void complete_block_barrier();
  [[nodiscard]] bool complete_phases();
  [[nodiscard]] bool join_halves();
  void leave_arrival(std::uintptr_t number);
  [[nodiscard]] bool meets_other_blocks(std::uintptr_t barrier) const;
  void arrive_in_cluster();
  void open_if_cluster_has_come();
  [[nodiscard]] bool waits_for_cluster() const;
  void note_arrivals(unsigned warp);
  [[nodiscard]] std::uint32_t note_put_off(unsigned warp);
  [[nodiscard]] bool put_off_arrivals();
  void catch_up(unsigned warp);
  static void note_event(Lane& lane, RecordKind kind, std::uint64_t number);
  void begin(Lane& lane);
  void learn_late(const Request& request, unsigned first_thread);
  void learn_early(const Lane& lane);
  void share_clocks(unsigned warp, std::uint32_t lanes);
  void arrive(Lane& lane, const WarpClocks& clocks);
  [[nodiscard]] bool count_arrival(const Lane& lane, const Arrival& arrival, CallSite site,
                                   const WarpClocks& clocks);
  void tell(const Lane& lane, const WarpClocks& clocks, PhaseBarrier& barrier);
  void complete(Lane& lane, const WarpClocks& clocks);
  void open(std::uintptr_t number, PhaseBarrier& barrier, bool last_waits);
  void pass_if_over(Lane& lane);
  void pass(const PhaseBarrier& barrier, Lane& lane);
  void work_at_barrier(const Lane& last);
  void await_other_blocks();
  [[nodiscard]] bool any(LaneState state) const;

  void require_barrier_of_all();
  [[nodiscard]] const Lane& first_waiting() const;
  // Of the barrier that it waits at. A block alone is its own cluster.
  [[nodiscard]] BarrierScope scope_of(const Lane& lane) const {
    const bool alone = lane.scope == BarrierScope::cluster && cluster_ == nullptr;
    return alone ? BarrierScope::block : lane.scope;
  }
  [[nodiscard]] std::string describe_barrier(const char* what);
  void remark_exit();
  void tell_uncounted(const Lane& lane);
  // Adds what describe() says, if the mistake is new.
  template <class Describe>
  void log(const Mistake& mistake, Describe&& describe) {
    if (analysis_.errors().is_new(mistake)) analysis_.errors().add({mistake, block_, describe()});
  }
  [[nodiscard]] Mistake mistake_at(ErrorKind kind, CallSite site) const;
  [[nodiscard]] static Mistake mistake_at_last_place(ErrorKind kind, const Lane& lane);
  [[noreturn]] void stop(const Mistake& mistake, const std::string& text);
  [[noreturn]] void stop_at_fault(const Lane& lane);
  [[nodiscard]] bool others_reach_shared(const Lane& lane) const;
  [[noreturn]] void stop_at_division(const Lane& lane);
  [[noreturn]] void stop_by_itself(const Lane& lane);
  [[noreturn]] void stop_outside_mask(const Lane& lane);
  [[noreturn]] void stop_absent_source(const Lane& lane);
  [[noreturn]] void stop_incomplete_warp(const Lane& lane);
  [[noreturn]] void stop_spinning(const Lane& lane);
  [[noreturn]] void stop_warp_deadlock();
  [[noreturn]] void stop_closed_barrier();
  [[nodiscard]] std::string last_place(const Lane& lane);
  [[nodiscard]] std::string place(CallSite site);
  [[nodiscard]] std::string whereabouts(const Lane& lane);
  [[nodiscard]] std::string thread_text(const Lane& lane);

  Program& program_;
  const DeviceMemory& memory_;
  AccessAnalysis analysis_;
  FiberStacks stacks_;
  TraceBuffers traces_;
  std::vector<Lane> all_lanes_;
  std::span<Lane> lanes_;  // of the present launch
  std::vector<Warp> warps_;
  PhaseBarriers phase_barriers_;
  ThreadClocks thread_clocks_;
  Launch launch_;
  ResidentBlocks* residents_ = nullptr;  // of a cooperative launch or a cluster
  std::size_t place_ = 0;                // among them
  ClusterMemory* cluster_ = nullptr;     // of a launch with clusters
  StoreTurns* store_turns_ = nullptr;    // of a launch whose blocks run at the same time
  // The block's arrival at the cluster's barrier, until that opens.
  std::optional<std::size_t> arrival_in_cluster_;
  std::uint64_t block_ = 0;
  std::uint64_t barriers_ = 0;
  std::uint64_t spent_ = 0;               // of the spin budget
  unsigned extensions_ = 0;               // of it, in this block
  std::array<CallSite, 32> uncounted_{};  // to be told
  std::size_t uncounted_count_ = 0;
  std::array<const void*, 61> noted_uncounted_{};  // of this block, by place
  long long ticks_ = 0;
  bool uses_phases_ = false;  // this block
  bool fenced_ = false;
  bool completed_ = true;
};

}  // namespace warpgauge::emulator
