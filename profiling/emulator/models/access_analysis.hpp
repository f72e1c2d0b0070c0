// SPDX-License-Identifier: Apache-2.0
// Counts the traffic of requests to memory and finds their mistakes. Knows nothing of fibers or
// scheduling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/execution/async_copies.hpp"
#include "profiling/emulator/execution/launch.hpp"
#include "profiling/emulator/execution/program.hpp"
#include "profiling/emulator/execution/warp_clocks.hpp"
#include "profiling/emulator/execution/warp_merge.hpp"
#include "profiling/emulator/memory/cluster_memory.hpp"
#include "profiling/emulator/memory/device_memory.hpp"
#include "profiling/emulator/memory/global_shadow.hpp"
#include "profiling/emulator/memory/shared_shadow.hpp"
#include "profiling/emulator/memory/shared_values.hpp"
#include "profiling/emulator/memory/threads_shadow.hpp"
#include "profiling/emulator/models/access_pattern.hpp"
#include "profiling/emulator/models/traffic.hpp"
#include "profiling/emulator/models/unwritten_reads.hpp"
#include "profiling/emulator/report/error_log.hpp"

namespace warpgauge::emulator {

class AccessAnalysis {
 public:
  AccessAnalysis(Program& program, const DeviceMemory& memory, GlobalShadow& global_shadow);

  // shared_begin: address of the calling thread's shared memory.
  void begin_launch(const Launch& launch, std::uintptr_t shared_begin);
  // For the launch: its blocks are those of this rank in clusters.
  void join_cluster(ClusterMemory& cluster, unsigned rank);
  void begin_block(std::uint64_t block);
  // Call at its end, however it ends.
  void end_block();
  // Before that, where the block has come to its end.
  void end_in_cluster();
  void block_barrier() {
    shadow_.block_barrier();
    values_.forget();
    threads_shadow_.begin_epoch(shadow_);
    ++load_run_;
  }

  // Times for the clocks of warps: when the block began or last met, and one for lanes that meet.
  [[nodiscard]] std::uint32_t epoch() const { return shadow_.epoch(); }
  [[nodiscard]] std::uint32_t next_stamp() { return shadow_.next_stamp(); }

  // These lanes of a warp give values to other threads without memory.
  void values_leave(unsigned first_thread, std::uint32_t lanes);

  // Copies of a barrier of some threads.
  [[nodiscard]] AsyncCopies& async_copies() { return async_copies_; }

  // See ThreadsShadow.
  void set_late_fence(unsigned warp, bool late) { threads_shadow_.set_late_fence(warp, late); }

  void grid_barrier() { ++grid_barriers_; }

  void arrive_in_cluster() { cluster_->arrive(rank_); }
  void pass_in_cluster() { cluster_->pass(rank_); }
  // Other blocks run while some accesses of this one have not been observed.
  void lag_in_cluster() { late_in_cluster_ = true; }

  // Values that lanes write to shared memory; notify it before writes and when lanes stop.
  [[nodiscard]] SharedValues& values() { return values_; }

  // Marks these bytes of device memory as written, whatever accesses were observed.
  void mark_written(std::uintptr_t address, std::size_t bytes);

  // Reports the access if its address is not a multiple of its size.
  bool require_aligned(const Record& record, std::uintptr_t address, unsigned thread);

  // Reports the access as out of bounds of shared memory, if it is near no other memory of the
  // device and either near shared memory or known to be meant for it.
  bool report_if_meant_for_shared(const Record& record, std::uintptr_t address, unsigned thread,
                                  bool known = false);
  [[nodiscard]] bool is_shared(std::uintptr_t address) const {
    return offset_in_shared(address) < program_.shared_variables().segment_bytes();
  }
  [[nodiscard]] std::uintptr_t offset_in_shared(std::uintptr_t address) const {
    return address - shared_begin_;
  }

  // first_thread: of the warp, within the block.
  void observe(const Request& request, unsigned first_thread, const WarpClocks& clocks);

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }
  // Mistakes of any severity.
  [[nodiscard]] ErrorLog& errors() { return errors_; }
  // Whether any global atomic or volatile store has been seen in this launch.
  [[nodiscard]] bool saw_communication() const { return saw_communication_; }

 private:
  struct Places {
    std::uint32_t shared = 0;  // a bit for each lane
    std::uint32_t global = 0;
    std::uint32_t remote = 0;  // shared memory of another block of the cluster
  };

  // What the kind of a record says beyond load, store and atomic.
  struct Manner {
    bool is_volatile = false;
    Access load = Access::load;  // what a load of shared memory is
    bool block_scope = false;    // an atomic to threads of the block alone
    bool loops = false;          // an atomic that is a loop in shared memory
    bool two_words = false;      // 16 bytes that are aligned to 8
  };

  // A site's state, without its traffic.
  struct SiteState {
    AccessPattern pattern;
    Manner manner;
    MemoryRange range;       // that its last global access was in; most go where the last one went
    bool looked_at = false;  // by repeats_check()
    std::uint32_t checked_at = 0;  // where the load is that this one repeats; 0: it repeats none
    bool counts = true;            // the request at hand
  };

  // A load that an operation on what it loads may repeat.
  struct RecentLoad {
    std::uint32_t pc = 0;
    std::uint32_t lanes = 0;  // 0: it has been repeated
    unsigned first_thread = 0;
    std::uint8_t bytes = 0;
    std::uintptr_t address = 0;  // of the first lane
    std::uint64_t run = 0;       // see load_run_
  };

  [[nodiscard]] Places classify(const Request& request, const AccessPattern& pattern,
                                unsigned first_thread, MemoryRange& range);
  [[nodiscard]] bool is_global(std::uintptr_t address, const Record& record, unsigned thread,
                               MemoryRange& range);
  void observe_shared(const Request& request, std::uint32_t lanes, unsigned first_thread,
                      const WarpClocks& clocks, std::uint32_t site);
  [[nodiscard]] bool note_at_once(const Request& request, const AccessPattern& pattern,
                                  unsigned first_thread, const WarpClocks& clocks,
                                  std::uint32_t site);
  void observe_access(const Request& request, unsigned first_thread, const WarpClocks& clocks,
                      const Manner& manner);
  // g++ checks what it converts to an integer, and by how much it shifts. It loads that for the
  // check and once more for the operation. Whether this is such a second load, which a GPU does not
  // have.
  [[nodiscard]] bool repeats_check(const Request& request, unsigned first_thread,
                                   std::uint32_t site);
  [[nodiscard]] bool accesses_two_words(std::uint32_t pc);
  void count_shared(const Request& request, std::uint32_t lanes, Access access, std::uint32_t site);
  void count_loop(const Request& request, std::uint32_t lanes, std::uint32_t site);
  void count_global(const Request& request, std::uint32_t lanes, std::uint32_t site);
  void count_table_load(const Request& request);
  void observe_global(const Request& request, std::uint32_t lanes, unsigned first_thread,
                      bool is_volatile, std::uint32_t site, const WarpClocks& clocks);
  void observe_threads(const Request& request, std::uint32_t lanes, unsigned first_thread,
                       bool is_volatile, std::uint32_t site, const WarpClocks& clocks);
  void observe_cluster(const Request& request, const Places& places, unsigned first_thread,
                       bool is_volatile, std::uint32_t site, const WarpClocks& clocks);
  [[nodiscard]] std::uint32_t visit(const Request& request, std::uint32_t lanes,
                                    unsigned first_thread);
  void visit(unsigned owner, const Record& record, std::uintptr_t address, unsigned thread);
  void observe_unwritten(const Request& request, std::uint32_t lanes, unsigned first_thread,
                         const SiteState& state);
  void observe_async_copies(const Request& request, unsigned first_thread);
  void require_no_pending_copies(const Record& record, const LaneAddresses& offsets,
                                 std::uint32_t lanes, unsigned first_thread);
  // owner: the block whose memory it is, if another. Also of report_shared_out_of_bounds().
  [[nodiscard]] std::uint32_t within_bounds(const Record& record, const LaneAddresses& offsets,
                                            std::uint32_t lanes, unsigned first_thread,
                                            std::optional<std::uint64_t> owner = std::nullopt);
  [[nodiscard]] const SharedVariable* variable_at(std::size_t offset, std::size_t bytes);

  void report_shared_out_of_bounds(const Record& record, std::size_t offset, unsigned thread,
                                   const SharedVariable* meant,
                                   std::optional<std::uint64_t> owner = std::nullopt);
  [[nodiscard]] std::string describe_inside(std::uintptr_t address) const;
  void report_visit(const ClusterMemory::Visit& visit, unsigned owner);
  void report_cluster_race(const GlobalHazard& hazard, RecordKind kind);
  void report_global_out_of_bounds(const Record& record, std::uintptr_t address, unsigned thread);
  void report_constant_write(const Record& record, unsigned thread);
  void note_unwritten(const Record& record, std::uintptr_t address, unsigned thread);
  void report_unwritten(const UnwrittenReads::Read& read, bool used);
  void report_thread_race(const Hazard& hazard, bool same_value, const Record& record,
                          std::uintptr_t address, unsigned thread);
  void report_same_value(const Hazard& hazard, const Record& record, std::size_t offset,
                         unsigned thread);
  void report_not_shared(const Record& record, unsigned thread);
  void report_pending(const AsyncCopies::Copy& copy, const Record& record, std::size_t offset,
                      unsigned thread);
  void report_race(const GlobalHazard& hazard);
  void report_hazard(const Hazard& hazard, const Record& record, std::size_t offset,
                     unsigned thread);

  Program& program_;
  const DeviceMemory& memory_;
  std::uintptr_t shared_begin_ = 0;
  SharedShadow shadow_;
  SharedValues values_;
  ThreadsShadow threads_shadow_;
  GlobalShadow& global_shadow_;
  AsyncCopies async_copies_;
  ClusterMemory* cluster_ = nullptr;  // of a launch with clusters
  unsigned rank_ = 0;                 // in it
  bool late_in_cluster_ = false;      // this block
  Launch launch_;
  std::uint64_t block_ = 0;
  Traffic traffic_;
  ErrorLog errors_;
  UnwrittenReads unwritten_reads_;
  std::uint32_t grid_barriers_ = 0;
  bool saw_communication_ = false;
  std::vector<SiteState> site_states_;                          // by the site's number in traffic_
  std::unordered_map<std::uint32_t, bool> accesses_two_words_;  // by the place
  std::array<RecentLoad, 32> recent_loads_{};                   // in a ring
  std::size_t loads_ = 0;                                       // that have been put there
  std::uint64_t load_run_ = 1;  // of loads with nothing else between
  GlobalShadow::Cursor cursor_;
  const SharedVariable* last_variable_ = nullptr;  // most accesses go where the last one went
  MemoryRange last_written_range_;
  bool any_unwritten_ = false;
};

}  // namespace warpgauge::emulator
