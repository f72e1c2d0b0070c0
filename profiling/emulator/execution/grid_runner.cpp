// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/grid_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <utility>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/execution/interruption.hpp"
#include "profiling/emulator/execution/lanes/fault_handler.hpp"
#include "profiling/emulator/execution/resident_blocks.hpp"
#include "profiling/emulator/execution/worker_thread.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge::emulator {

// Hands out the numbers of blocks in order. After an error, those before it still run, so that the
// first error is the first in the grid too.
class GridRunner::Blocks {
 public:
  explicit Blocks(const Launch& launch) : launch_(launch), end_(launch.blocks()) {}

  [[nodiscard]] const Launch& launch() const { return launch_; }

  // False: there is none left.
  [[nodiscard]] bool take(std::uint64_t& block) {
    block = next_++;
    return block < end_;
  }

  [[nodiscard]] std::uint64_t end() const { return end_; }

  void stop_after(std::uint64_t block) {
    std::uint64_t end = end_;
    while (end > block + 1 && !end_.compare_exchange_weak(end, block + 1)) {
    }
  }

 private:
  const Launch& launch_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> end_;
};

namespace {

// Names the runner for the callbacks on this thread.
class CurrentRunner {
 public:
  explicit CurrentRunner(BlockRunner& runner) { warpgauge_emulator_thread_memory.runner = &runner; }
  CurrentRunner(const CurrentRunner&) = delete;
  CurrentRunner& operator=(const CurrentRunner&) = delete;
  ~CurrentRunner() {
    warpgauge_emulator_thread_memory.lane = nullptr;
    warpgauge_emulator_thread_memory.runner = nullptr;
  }
};

std::uintptr_t shared_memory_of_this_thread(const Program& program) {
  return reinterpret_cast<std::uintptr_t>(&warpgauge_emulator_thread_memory) -
         program.shared_variables().dynamic_offset();
}

void forget_unwritten(std::vector<KernelError>& errors) {
  std::erase_if(errors, [](const KernelError& error) {
    return error.mistake.kind == ErrorKind::uninitialized_global_read ||
           error.mistake.kind == ErrorKind::unused_read;
  });
}

// Values that are the same some of the time are a race at the same places.
bool is_a_race_too(const Mistake& mistake, const std::vector<KernelError>& errors) {
  return mistake.kind == ErrorKind::same_value &&
         std::ranges::any_of(errors, [&](const KernelError& error) {
           const Mistake& other = error.mistake;
           return (other.kind == ErrorKind::race || other.kind == ErrorKind::global_race) &&
                  other.pc == mistake.pc && other.other_pc == mistake.other_pc;
         });
}

}  // namespace

// Errors of the blocks before `end`, by block, each mistake once for each place in the source. One
// place may be several in the machine code.
std::vector<PlacedError> GridRunner::merge_errors(std::vector<KernelError> errors,
                                                  std::uint64_t end) {
  std::erase_if(errors, [&](const KernelError& error) { return error.block >= end; });
  std::stable_sort(errors.begin(), errors.end(),
                   [](const auto& a, const auto& b) { return a.block < b.block; });
  std::vector<PlacedError> merged;
  std::map<std::string, std::size_t> known;
  for (KernelError& error : errors) {
    const Mistake& mistake = error.mistake;
    if (is_a_race_too(mistake, errors)) continue;
    std::string place = fmt::format("{} {}", static_cast<int>(mistake.kind),
                                    to_string(program_.locate(mistake.pc)));
    if (mistake.other_pc != 0) {
      place += fmt::format(" {}", to_string(program_.locate(mistake.other_pc)));
    }
    const auto [entry, added] = known.try_emplace(place, merged.size());
    if (added) {
      merged.push_back({std::move(error), std::move(place)});
    } else {
      merged[entry->second].error.times += error.times;
    }
  }
  return merged;
}

// Runs blocks until none is left, or `most` of them.
void GridRunner::run_blocks(BlockRunner& runner, Blocks& blocks, std::uint64_t most) {
  std::uint64_t block = 0;
  for (std::uint64_t count = 0; count < most && blocks.take(block); ++count) {
    if (!runner.run(block) && !blocks.launch().continue_after_errors) blocks.stop_after(block);
    if (interrupted()) blocks.stop_after(0);
  }
}

void GridRunner::work(std::unique_ptr<BlockRunner>& runner, const Launch& launch,
                      const std::function<void(BlockRunner&)>& run) {
  const SignalStack signal_stack;
  if (!runner) runner = std::make_unique<BlockRunner>(program_, memory_, global_shadow_);
  const CurrentRunner current(*runner);
  runner->begin_launch(launch, shared_memory_of_this_thread(program_));
  run(*runner);
}

std::size_t GridRunner::run_independent(Blocks& blocks, unsigned threads) {
  const Launch& launch = blocks.launch();
  runners_.resize(std::max<std::size_t>(runners_.size(), threads));
  std::size_t used = 1;
  work(runners_[0], launch, [&](BlockRunner& first) {
    run_blocks(first, blocks, 1);
    first_communicates_ = first.communicates();
    if (!first_communicates_) {
      global_shadow_.blocks_are_unordered();
      used = std::min<std::uint64_t>(threads, launch.blocks());
    }
    if (used > 1) first.share_memory(store_turns_);
    std::deque<WorkerThread> workers;
    for (std::size_t i = 1; i < used; ++i) {
      workers.emplace_back(program_.shared_variables().segment_bytes(), [&, i] {
        work(runners_[i], launch, [&](BlockRunner& runner) {
          runner.share_memory(store_turns_);
          run_blocks(runner, blocks, launch.blocks());
        });
      });
    }
    run_blocks(first, blocks, launch.blocks());
    for (WorkerThread& worker : workers) worker.join();
  });
  return used;
}

std::size_t GridRunner::run_together(const Launch& launch) {
  const std::size_t count = launch.blocks();
  runners_.resize(std::max(runners_.size(), count));
  ResidentBlocks residents(count);
  const auto run_block = [&](std::size_t block) {
    bool completed = false;
    try {
      work(runners_[block], launch,
           [&](BlockRunner& runner) { completed = runner.run_together(block, block, residents); });
    } catch (...) {
      residents.leave(block, false);  // the others must not wait for it
      throw;
    }
    residents.leave(block, completed);
  };
  std::deque<WorkerThread> workers;
  for (std::size_t block = 0; block < count; ++block) {
    try {
      workers.emplace_back(program_.shared_variables().segment_bytes(),
                           [&, block] { run_block(block); });
    } catch (...) {
      residents.leave(block, false);
      throw;
    }
  }
  for (WorkerThread& worker : workers) worker.join();
  return count;
}

// Whether blocks that ran at the same time exchanged data: one may have read another's data before
// the emulator knew that blocks communicate.
bool GridRunner::unordered_communication(const Launch& launch, std::size_t used) const {
  const auto end = runners_.begin() + static_cast<std::ptrdiff_t>(used);
  return launch.blocks_are_independent() && !first_communicates_ &&
         std::any_of(runners_.begin(), end, [](const auto& each) { return each->communicates(); });
}

std::vector<KernelError> GridRunner::find_races(const Launch& launch) {
  std::vector<KernelError> errors;
  for (const GlobalHazard& hazard : global_shadow_.races()) {
    errors.push_back(describe_race(program_, launch, memory_, hazard));
  }
  return errors;
}

LaunchResult GridRunner::run(const Launch& launch, unsigned threads) {
  const FaultHandler fault_handler;
  Blocks blocks(launch);
  warpgauge_emulator_grid_dimensions = launch.grid;
  warpgauge_emulator_block_dimensions = launch.block;
  global_shadow_.begin_launch();
  const std::size_t used = launch.cooperative            ? run_together(launch)
                           : launch.cluster_blocks() > 1 ? run_clusters(launch)
                                                         : run_independent(blocks, threads);

  LaunchResult result;
  std::vector<KernelError> errors;
  for (std::size_t i = 0; i < used; ++i) {
    result.traffic.add(runners_[i]->traffic());
    result.barriers += runners_[i]->barriers();
    result.completed &= runners_[i]->completed();
    errors.insert(errors.end(), runners_[i]->errors().begin(), runners_[i]->errors().end());
  }
  if (launch.blocks_are_independent() && (blocks.end() == launch.blocks() || interrupted())) {
    std::vector<KernelError> races = find_races(launch);
    // Which of the two came first is chance, and so is whether the reading one found anything.
    if (!races.empty()) forget_unwritten(errors);
    std::move(races.begin(), races.end(), std::back_inserter(errors));
  }
  if (unordered_communication(launch, used)) forget_unwritten(errors);
  result.completed &= blocks.end() == launch.blocks();
  result.errors = merge_errors(std::move(errors), interrupted() ? launch.blocks() : blocks.end());
  return result;
}

}  // namespace warpgauge::emulator
