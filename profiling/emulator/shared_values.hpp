// SPDX-License-Identifier: Apache-2.0
// What the threads of a block wrote to each word of shared memory since the last barrier: one
// value, or several. Two writes of one value in no order are harmless; this tells them from races.
//
// An access is noted before it is done, so its value is read from memory as soon as the lane has
// stopped, before another one runs. Of a lane that wrote a word several times only the last value
// counts, as it does for whoever reads the word after the barrier. Where it cannot tell, values
// differ: it may call equal writes different, never different ones equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "profiling/emulator/trace.hpp"

namespace warpgauge::emulator {

class SharedValues {
 public:
  // bytes: of shared memory.
  explicit SharedValues(std::size_t bytes);

  // A new block, or a barrier of all its threads.
  void forget() { ++epoch_; }

  // A lane has just stopped; `records` are what it did since it was resumed.
  // last_is_pending: it stopped before it did the last one.
  void note(std::span<const Record> records, bool last_is_pending, std::uintptr_t shared_begin);

  // Whether different values have been written to one of these bytes.
  [[nodiscard]] bool differ(std::size_t offset, std::size_t bytes) const;

 private:
  struct Word {
    std::uint32_t epoch = 0;
    std::uint32_t value = 0;
    std::uint32_t written = 0;  // as a mask of bits
    std::uint32_t differs = 0;  // likewise
  };

  // From calloc, which takes no memory for what no kernel uses.
  std::unique_ptr<Word[], void (*)(void*)> words_;
  std::size_t bytes_;
  std::uint32_t epoch_ = 1;
};

}  // namespace warpgauge::emulator
