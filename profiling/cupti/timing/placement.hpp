// SPDX-License-Identifier: Apache-2.0
// Moves a benchmark's data to new addresses again and again: a kernel's time depends on where its
// data lies, by up to 4 % (see docs/explain/measurement.md).
#pragma once

#include <cstddef>
#include <functional>

#include "profiling/cupti/timing/sampling.hpp"

namespace warpgauge::cupti {

class Placement {
 public:
  // relocate: Workload::relocate, may be absent. one_sample: the duration of a sample.
  Placement(std::function<void()> relocate, Seconds one_sample);

  // Whether moving is worth the time. From 5 ms up it is not: eight places would take long.
  [[nodiscard]] bool moves() const { return relocate_ && !stays_; }

  // Moves the data. When memory is short, or moves take too long, the data stays from then on.
  void move();

  [[nodiscard]] int moved() const { return moved_; }

  // Samples to take before the next move.
  [[nodiscard]] std::size_t samples() const;

 private:
  std::function<void()> relocate_;
  Seconds one_sample_;
  Seconds one_move_{};
  bool stays_;
  int slow_moves_ = 0;
  int moved_ = 0;
};

}  // namespace warpgauge::cupti
