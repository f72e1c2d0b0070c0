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

bool ResidentBlocks::is_open(std::size_t arrival) const {
  for (std::size_t block = 0; block < states_.size(); ++block) {
    const bool has_left = ended_ == Ended::leave_barriers && states_[block] == State::ended;
    if (arrivals_[block] < arrival && !has_left) return false;
  }
  return true;
}

void ResidentBlocks::let_through() {
  for (std::size_t block = 0; block < states_.size(); ++block) {
    if (states_[block] == State::at_barrier && is_open(awaited_[block])) {
      states_[block] = State::ready;
    }
  }
}

void ResidentBlocks::pass_turn() {
  auto next = find(State::ready, running_ + 1);
  if (!next) {
    next = find(State::at_barrier, 0);
    if (!next) return;  // all have ended
    deserted_ = true;
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

ResidentBlocks::Turn ResidentBlocks::await_barrier(std::size_t block) {
  std::unique_lock lock(mutex_);
  awaited_[block] = ++arrivals_[block];
  states_[block] = State::at_barrier;
  let_through();
  if (states_[block] == State::ready) running_ = states_.size() - 1;  // the first goes on first
  pass_turn();
  return await_turn(lock, block);
}

std::size_t ResidentBlocks::arrive(std::size_t block) {
  const std::scoped_lock lock(mutex_);
  const std::size_t arrival = ++arrivals_[block];
  let_through();
  return arrival;
}

bool ResidentBlocks::all_have_arrived(std::size_t arrival) const {
  const std::scoped_lock lock(mutex_);
  return is_open(arrival);
}

ResidentBlocks::Turn ResidentBlocks::await_arrivals(std::size_t block, std::size_t arrival) {
  std::unique_lock lock(mutex_);
  awaited_[block] = arrival;
  states_[block] = State::at_barrier;
  let_through();
  pass_turn();
  return await_turn(lock, block);
}

void ResidentBlocks::leave(std::size_t block, bool completed) {
  const std::scoped_lock lock(mutex_);
  states_[block] = State::ended;
  let_through();
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
