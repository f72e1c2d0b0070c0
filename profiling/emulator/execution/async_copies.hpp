// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies into a block's shared memory for which their threads have not yet waited.
// Until then no thread may touch the destination. Offsets are bytes from the start of shared
// memory; this class knows no addresses.
//
// The emulator copies at once; this class tracks the copies that a GPU might not have finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpgauge::emulator {

class AsyncCopies {
 public:
  struct Copy {
    std::size_t offset = 0;
    unsigned bytes = 0;
    unsigned thread = 0;
    std::uint32_t pc = 0;
    std::uint64_t batch = 0;  // of its thread, counted from 0
  };

  // bytes: of shared memory.
  explicit AsyncCopies(std::size_t bytes) : shared_words_((bytes + 3) / 4) {}

  void begin_block();

  // bytes: 4, 8 or 16, to which the offset is aligned.
  void copy(std::size_t offset, unsigned bytes, unsigned thread, std::uint32_t pc);

  // Ends the thread's current batch.
  void commit(unsigned thread);

  // The thread waits for all its committed batches except the `newest` last ones.
  void wait_prior(unsigned thread, std::uint64_t newest);

  // The batches that the thread has committed so far.
  [[nodiscard]] std::uint64_t committed(unsigned thread) { return at(thread).committed; }

  // The first `batches` of the thread are done.
  void finish(unsigned thread, std::uint64_t batches);

  [[nodiscard]] bool any() const { return pending_ > 0; }

  // A pending copy to one of these bytes, or nullptr.
  [[nodiscard]] const Copy* find(std::size_t offset, unsigned bytes) const;

 private:
  struct Thread {
    std::uint64_t committed = 0;  // batches
    std::vector<Copy> copies;     // pending
  };

  [[nodiscard]] Thread& at(unsigned thread);

  std::size_t shared_words_;
  std::vector<std::uint16_t> owners_;  // by word: 1 + the thread that copies to it; 0: nobody
  std::vector<Thread> threads_;
  std::size_t pending_ = 0;
};

}  // namespace warpgauge::emulator
