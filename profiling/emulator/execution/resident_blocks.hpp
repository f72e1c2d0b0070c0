// SPDX-License-Identifier: Apache-2.0
// The blocks of a cooperative launch, or of a cluster. Each runs on its own host thread, because it
// keeps its shared memory until the end. Knows nothing of kernels.
//
// They run in turns, one at a time, so that their communication through memory does not depend on
// the host's scheduling. A turn lasts until the block waits or ends; then the next block that can
// continue gets it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace warpgauge::emulator {

class ResidentBlocks {
 public:
  enum class Turn {
    granted,
    abandoned,  // another block failed, so this one must end
    deserted,   // all other blocks wait at the barrier or have ended: it never opens
  };

  enum class Ended {
    desert_barriers,  // of the grid
    leave_barriers,   // of the cluster, which open for the others
  };

  explicit ResidentBlocks(std::size_t blocks, Ended ended = Ended::desert_barriers)
      : ended_(ended), states_(blocks, State::ready), arrivals_(blocks), awaited_(blocks) {}

  // The block's own thread calls these; they return when it is the block's turn.
  [[nodiscard]] Turn await_first_turn(std::size_t block);
  [[nodiscard]] Turn let_others_run(std::size_t block);
  // Arrives at the barrier of all blocks, and waits there.
  [[nodiscard]] Turn await_barrier(std::size_t block);
  // The same apart: the number of the arrival, for which all blocks' arrivals are waited.
  [[nodiscard]] std::size_t arrive(std::size_t block);
  [[nodiscard]] bool all_have_arrived(std::size_t arrival) const;
  [[nodiscard]] Turn await_arrivals(std::size_t block, std::size_t arrival);

  // The block has ended. completed: false after an error, which abandons all others.
  void leave(std::size_t block, bool completed);

  // The first block that ended, if any.
  [[nodiscard]] std::optional<std::size_t> first_ended() const;

 private:
  enum class State { ready, at_barrier, ended };

  [[nodiscard]] std::optional<std::size_t> find(State state, std::size_t first) const;
  [[nodiscard]] bool is_open(std::size_t arrival) const;
  void let_through();
  void pass_turn();
  [[nodiscard]] Turn await_turn(std::unique_lock<std::mutex>& lock, std::size_t block);

  const Ended ended_;
  mutable std::mutex mutex_;
  std::condition_variable turn_has_passed_;
  std::vector<State> states_;
  std::vector<std::size_t> arrivals_;  // of each block, so far
  std::vector<std::size_t> awaited_;   // of all, by a block at the barrier
  std::size_t running_ = 0;
  bool failed_ = false;
  bool deserted_ = false;
};

}  // namespace warpgauge::emulator
