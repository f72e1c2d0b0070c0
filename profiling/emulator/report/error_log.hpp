// SPDX-License-Identifier: Apache-2.0
// The errors and remarks of a launch, each once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace warpgauge::emulator {

enum class ErrorKind {
  race,
  uninitialized_read,         // of shared memory
  uninitialized_global_read,  // of device memory
  shared_out_of_bounds,
  global_out_of_bounds,
  barrier,         // not reached by all threads of the block
  warp_operation,  // not reached by all lanes named in its mask
  misaligned,      // to the size of the access
  fault,           // the access trapped
  stack_overflow,
  no_progress,
  async_copy,  // not waited for
  trap,
  assertion,
  invalid_call,  // of a function of the device
};

struct KernelError {
  ErrorKind kind = ErrorKind::race;
  std::uint64_t block = 0;  // in the order in which blocks are started
  std::string key;          // equal for the same mistake at the same place
  std::string text;
};

class ErrorLog {
 public:
  // True for the first error with this key; only then is its text needed.
  [[nodiscard]] bool is_new(const std::string& key) {
    return errors_.size() < kMost && seen_.insert(key).second;
  }

  void add(KernelError error) { errors_.push_back(std::move(error)); }

  [[nodiscard]] const std::vector<KernelError>& errors() const { return errors_; }

 private:
  static constexpr std::size_t kMost = 32;
  std::set<std::string> seen_;
  std::vector<KernelError> errors_;
};

}  // namespace warpgauge::emulator
