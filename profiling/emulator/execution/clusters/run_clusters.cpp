// SPDX-License-Identifier: Apache-2.0
// GridRunner's launches of clusters: one cluster after the other, each of its blocks on a host
// thread of its own, which keeps the block's shared memory until all of them have ended.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "profiling/emulator/execution/grid_runner.hpp"
#include "profiling/emulator/execution/interruption.hpp"
#include "profiling/emulator/execution/resident_blocks.hpp"
#include "profiling/emulator/execution/worker_thread.hpp"
#include "profiling/emulator/memory/cluster_memory.hpp"

namespace warpgauge::emulator {
namespace {

// The cluster that runs, and those that follow it.
class Clusters {
 public:
  Clusters(const Launch& launch, ClusterMemory& memory,
           const std::vector<std::unique_ptr<BlockRunner>>& runners)
      : launch_(launch), memory_(memory), runners_(runners) {}

  // While no block runs.
  void begin_next() {
    residents_.reset();
    if (failed_ || interrupted() || next_ == launch_.blocks() / launch_.cluster_blocks()) return;
    memory_.begin(launch_, next_++);
    for (unsigned rank = 0; rank < memory_.size(); ++rank) {
      runners_[rank]->begin_block_of_cluster(memory_.block(rank));
    }
    residents_.emplace(memory_.size(), ResidentBlocks::Ended::leave_barriers);
  }

  // Whether there was none left.
  [[nodiscard]] bool over() const { return !residents_; }

  void fail() { failed_ = true; }

  void run(unsigned rank) {
    const bool completed = runners_[rank]->run_together(memory_.block(rank), rank, *residents_);
    if (!completed) fail();
    residents_->leave(rank, completed);
  }

  // The others must not wait for it.
  void abandon(unsigned rank) {
    fail();
    if (residents_) residents_->leave(rank, false);
  }

 private:
  const Launch& launch_;
  ClusterMemory& memory_;
  const std::vector<std::unique_ptr<BlockRunner>>& runners_;
  std::optional<ResidentBlocks> residents_;
  std::uint64_t next_ = 0;
  std::atomic<bool> failed_{false};
};

}  // namespace

std::size_t GridRunner::run_clusters(const Launch& launch) {
  const std::size_t count = launch.cluster_blocks();
  runners_.resize(std::max(runners_.size(), count));
  ClusterMemory memory(count, program_.shared_variables().segment_bytes(),
                       global_shadow_.ordered());
  Clusters clusters(launch, memory, runners_);
  const auto begin_next = [&]() noexcept { clusters.begin_next(); };
  std::barrier between(static_cast<std::ptrdiff_t>(count), begin_next);
  const auto run_rank = [&](unsigned rank) {
    try {
      work(runners_[rank], launch, [&](BlockRunner& runner) {
        runner.join_cluster(memory, rank);
        for (;;) {
          between.arrive_and_wait();
          if (clusters.over()) return;
          clusters.run(rank);
        }
      });
    } catch (...) {
      clusters.abandon(rank);
      between.arrive_and_drop();
      throw;
    }
  };
  std::deque<WorkerThread> workers;
  for (unsigned rank = 0; rank < count; ++rank) {
    try {
      workers.emplace_back(program_.shared_variables().segment_bytes(),
                           [&, rank] { run_rank(rank); });
    } catch (...) {
      clusters.fail();
      for (std::size_t missing = rank; missing < count; ++missing) between.arrive_and_drop();
      throw;
    }
  }
  for (WorkerThread& worker : workers) worker.join();
  return count;
}

}  // namespace warpgauge::emulator
