// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/resident_blocks.hpp"

#include <algorithm>

namespace warpgauge::emulator {

// The first block in this state from `first` on, round about.
std::optional<std::size_t> ResidentBlocks::find(State state, std::size_t first) const {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const std::size_t block = (first + i) % states_.size();
    if (states_[block] == state) return block;
  }
  return std::nullopt;
}

void ResidentBlocks::pass_turn() {
  auto next = find(State::ready, running_ + 1);
  if (!next) {
    next = find(State::at_barrier, 0);
    if (!next) return;  // all have ended
    if (find(State::ended, 0)) {
      deserted_ = true;
    } else {
      std::fill(states_.begin(), states_.end(), State::ready);
    }
  }
  running_ = *next;
  turn_has_passed_.notify_all();
}

ResidentBlocks::Turn ResidentBlocks::await_turn(std::unique_lock<std::mutex>& lock,
                                                std::size_t block) {
  turn_has_passed_.wait(lock, [&] { return failed_ || running_ == block; });
  if (failed_) return Turn::abandoned;
  return deserted_ ? Turn::deserted : Turn::granted;
}

ResidentBlocks::Turn ResidentBlocks::await_first_turn(std::size_t block) {
  std::unique_lock lock(mutex_);
  return await_turn(lock, block);
}

ResidentBlocks::Turn ResidentBlocks::let_others_run(std::size_t block) {
  std::unique_lock lock(mutex_);
  pass_turn();
  return await_turn(lock, block);
}

ResidentBlocks::Turn ResidentBlocks::await_grid_barrier(std::size_t block) {
  std::unique_lock lock(mutex_);
  states_[block] = State::at_barrier;
  pass_turn();
  return await_turn(lock, block);
}

void ResidentBlocks::leave(std::size_t block, bool completed) {
  const std::scoped_lock lock(mutex_);
  states_[block] = State::ended;
  if (!completed) {
    failed_ = true;
    turn_has_passed_.notify_all();
  } else {
    pass_turn();
  }
}

std::optional<std::size_t> ResidentBlocks::first_ended() const {
  const std::scoped_lock lock(mutex_);
  return find(State::ended, 0);
}

}  // namespace warpgauge::emulator
