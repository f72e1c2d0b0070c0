// SPDX-License-Identifier: Apache-2.0
// What a block's threads did wrong, each mistake once for each place in the code, counted.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::emulator {

enum class ErrorKind {
  race,                       // in shared memory
  global_race,                // in global memory
  same_value,                 // written by several threads without order
  uninitialized_read,         // of shared memory
  uninitialized_global_read,  // of device memory
  unused_read,                // of either, by a thread that then wrote nothing
  shared_out_of_bounds,
  global_out_of_bounds,
  constant_write,  // to a __constant__ variable
  barrier,         // not reached by all threads of the block
  left_barrier,    // by threads that have returned
  warp_operation,  // not reached by all lanes named in its mask
  misaligned,      // to the size of the access
  fault,           // the access trapped
  division,        // of integers, which trapped
  stack_overflow,
  no_progress,
  async_copy,   // not waited for
  ended_block,  // or one that may have, whose shared memory another block of the cluster accesses
  trap,
  assertion,
  invalid_call,  // of a function of the device
  uncounted,     // an access that no figure has
};

// A kind of mistake, and the one or two places in the code that it is about.
struct Mistake {
  ErrorKind kind = ErrorKind::race;
  std::uint32_t pc = 0;
  std::uint32_t other_pc = 0;  // 0: there is no other

  friend auto operator<=>(const Mistake&, const Mistake&) = default;
};

[[nodiscard]] inline Mistake mistake_between(ErrorKind kind, std::uint32_t pc,
                                             std::uint32_t other_pc) {
  return {kind, std::max(pc, other_pc), std::min(pc, other_pc)};
}

struct KernelError {
  Mistake mistake;
  std::uint64_t block = 0;  // in the order in which blocks are started
  std::string text;         // of the first time
  std::uint64_t times = 1;
};

class ErrorLog {
 public:
  // Counts the mistake. True the first time; only then is its text needed.
  [[nodiscard]] bool is_new(const Mistake& mistake) {
    const auto [entry, added] = seen_.try_emplace(mistake, errors_.size());
    if (!added) {
      if (entry->second < errors_.size()) ++errors_[entry->second].times;
      return false;
    }
    return errors_.size() < kMost;
  }

  [[nodiscard]] bool knows(const Mistake& mistake) const { return seen_.contains(mistake); }

  // After is_new().
  void add(KernelError error) { errors_.push_back(std::move(error)); }

  [[nodiscard]] const std::vector<KernelError>& errors() const { return errors_; }

 private:
  static constexpr std::size_t kMost = 64;
  std::map<Mistake, std::size_t> seen_;  // each with its place in errors_, or beyond it
  std::vector<KernelError> errors_;
};

}  // namespace warpgauge::emulator
