// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/async_copies.hpp"

#include <algorithm>

namespace warpgauge::emulator {

void AsyncCopies::begin_block() {
  if (pending_ > 0) std::fill(owners_.begin(), owners_.end(), std::uint16_t{0});
  threads_.clear();
  pending_ = 0;
}

AsyncCopies::Thread& AsyncCopies::at(unsigned thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  return threads_[thread];
}

void AsyncCopies::copy(std::size_t offset, unsigned bytes, unsigned thread, std::uint32_t pc) {
  owners_.resize(shared_words_);  // few programs have any copies
  Thread& owner = at(thread);
  owner.copies.push_back({offset, bytes, thread, pc, owner.committed});
  ++pending_;
  for (unsigned i = 0; i < bytes; i += 4) {
    owners_[(offset + i) / 4] = static_cast<std::uint16_t>(thread + 1);
  }
}

void AsyncCopies::commit(unsigned thread) { ++at(thread).committed; }

void AsyncCopies::wait_prior(unsigned thread, std::uint64_t newest) {
  const std::uint64_t committed = at(thread).committed;
  if (newest < committed) finish(thread, committed - newest);
}

void AsyncCopies::finish(unsigned thread, std::uint64_t batches) {
  pending_ -= std::erase_if(at(thread).copies, [&](const Copy& copy) {
    if (copy.batch >= batches) return false;
    for (unsigned i = 0; i < copy.bytes; i += 4) owners_[(copy.offset + i) / 4] = 0;
    return true;
  });
}

const AsyncCopies::Copy* AsyncCopies::find(std::size_t offset, unsigned bytes) const {
  for (std::size_t word = offset / 4; word * 4 < offset + bytes; ++word) {
    if (owners_[word] == 0) continue;
    for (const Copy& copy : threads_[owners_[word] - 1U].copies) {
      if (word * 4 >= copy.offset && word * 4 < copy.offset + copy.bytes) return &copy;
    }
  }
  return nullptr;
}

}  // namespace warpgauge::emulator
