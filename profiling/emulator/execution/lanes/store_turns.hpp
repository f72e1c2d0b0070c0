// SPDX-License-Identifier: Apache-2.0
// Lets the host threads that run blocks store to one place of global memory one after the other:
// what a lane stored is read back from memory, and must not be another block's by then.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

namespace warpgauge::emulator {

class StoreTurns {
 public:
  class alignas(64) Turn {
   public:
    void end() { taken_.clear(std::memory_order_release); }

   private:
    friend class StoreTurns;
    std::atomic_flag taken_;
  };

  // Waits until no other thread stores near the address. Who has a turn must end it before the
  // next, and must not wait for another thread meanwhile.
  [[gnu::always_inline]] inline void begin(Turn*& turn, std::uintptr_t address) {
    turn = &(*turns_)[address / kBytes % kTurns];
    if (turn->taken_.test_and_set(std::memory_order_acquire)) [[unlikely]]
      wait(*turn);
  }

 private:
  // An aligned store of a lane lies in one piece of this size.
  static constexpr std::size_t kBytes = 128;
  static constexpr std::size_t kTurns = 4096;

  // Who has the turn may not be running: it has it for a few instructions, most of the time.
  [[gnu::noinline]] static void wait(Turn& turn) {
    while (turn.taken_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }

  std::unique_ptr<std::array<Turn, kTurns>> turns_ = std::make_unique<std::array<Turn, kTurns>>();
};

}  // namespace warpgauge::emulator
