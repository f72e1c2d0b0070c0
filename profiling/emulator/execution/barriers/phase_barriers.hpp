// SPDX-License-Identifier: Apache-2.0
// Barriers of some threads of a block: each opens when enough have arrived, and then begins its
// next phase. Who arrives need not wait, and who waits need not have arrived. Knows nothing of
// lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/execution/barriers/thread_clocks.hpp"
#include "profiling/emulator/include/warpgauge_emulator/abi.h"

namespace warpgauge::emulator {

struct PhaseBarrier {
  // Copies that a thread had committed when it arrived.
  struct Copies {
    unsigned thread = 0;
    std::uint64_t committed = 0;
  };

  unsigned expected = 0;       // arrivals of this phase
  unsigned next_expected = 0;  // of the next one
  unsigned arrived = 0;
  std::uint64_t phase = 0;
  ThreadClocks::Times told{};   // by those who have arrived
  ThreadClocks::Times known{};  // to those who have waited
  std::vector<Copies> copies{};
  std::vector<bool> came{};  // by thread, whether it has arrived in this phase; may end early
  // The last to arrive does something of its own before the phase is over.
  bool completed_by_thread = false;
  std::optional<unsigned> completing{};  // the thread that does

  void note_arrival(unsigned thread) {
    if (thread >= came.size()) came.resize(thread + 1);
    came[thread] = true;
  }
  [[nodiscard]] bool has_come(unsigned thread) const {
    return thread < came.size() && came[thread];
  }

  void open() {
    ++phase;
    came.clear();
    arrived = 0;
    expected = next_expected;
    known = told;
    copies.clear();
    completing.reset();
  }

  // What was told does not matter any more: all threads have met.
  void forget() {
    told.clear();
    known.clear();
  }
};

// An arrival that counts once all that its thread did before has been observed.
struct PutOffArrival {
  warpgauge_emulator::Arrival arrival;
  warpgauge_emulator::CallSite site{};
};

class PhaseBarriers {
 public:
  void begin_block() {
    barriers_.clear();
    late_.clear();
    put_off_.clear();
  }

  // Its first phase begins, whatever it was before.
  PhaseBarrier& begin(std::uintptr_t barrier, unsigned expected, bool completed_by_thread = false) {
    return barriers_[barrier] = {.expected = expected,
                                 .next_expected = expected,
                                 .completed_by_thread = completed_by_thread};
  }

  // Begins it where there is none. expected: 0 where there is one, which knows.
  PhaseBarrier& of(std::uintptr_t barrier, unsigned expected) {
    PhaseBarrier* known = find(barrier);
    if (known == nullptr) return begin(barrier, expected);
    if (expected != 0 && known->arrived == 0) known->expected = known->next_expected = expected;
    return *known;
  }

  // nullptr: there is none.
  [[nodiscard]] PhaseBarrier* find(std::uintptr_t barrier) {
    const auto found = barriers_.find(barrier);
    return found == barriers_.end() ? nullptr : &found->second;
  }

  // What a phase told a thread, to be learned in its turn. Returns its number.
  std::uint64_t add_late(const ThreadClocks::Times& known) {
    late_.emplace(++latest_, known);
    return latest_;
  }
  [[nodiscard]] const ThreadClocks::Times& late(std::uint64_t number) const {
    return late_.at(number);
  }
  void remove_late(std::uint64_t number) { late_.erase(number); }

  // The phase in which the arrival will count, whoever else comes before it does. None: that
  // depends, or the thread may have to complete the phase.
  [[nodiscard]] std::optional<std::uint64_t> phase_of(const warpgauge_emulator::Arrival& arrival);
  // Returns the arrival's number.
  std::uint64_t put_off(const PutOffArrival& arrival) {
    put_off_.emplace(++latest_, arrival);
    return latest_;
  }
  PutOffArrival take_put_off(std::uint64_t number) { return put_off_.extract(number).mapped(); }
  // Of those at this barrier.
  [[nodiscard]] unsigned put_off_at(const void* barrier) const;

 private:
  std::unordered_map<std::uintptr_t, PhaseBarrier> barriers_;
  std::unordered_map<std::uint64_t, ThreadClocks::Times> late_;  // by number
  std::unordered_map<std::uint64_t, PutOffArrival> put_off_;     // by number
  std::uint64_t latest_ = 0;
};

}  // namespace warpgauge::emulator
