// SPDX-License-Identifier: Apache-2.0
// Moves a benchmark's data to new addresses again and again: a kernel's time depends on where its
// data lies, by up to 4 % (see docs/explain/measurement.md). What a move frees slows kernels down
// for a while: a move waits for that.
#pragma once

#include <cstddef>
#include <functional>

#include "profiling/cupti/timing/sampling.hpp"

namespace warpgauge::cupti {

// How long freeing that many bytes slows kernels down, at most: the driver probably clears them in
// the background. On an H200 reading takes 15 % longer for 2.5 ms a GiB (tests/tools/freed.cu).
[[nodiscard]] Seconds clearing_time(std::size_t freed_bytes);

class Placement {
 public:
  // relocate: Workload::relocate, may be absent. one_sample: the duration of a sample.
  Placement(std::function<void()> relocate, Seconds one_sample);

  // Whether moving is worth the time. From 5 ms up it is not: eight places would take long.
  [[nodiscard]] bool moves() const { return relocate_ && !stays_; }

  // Moves the data, and waits until what that freed slows nothing down. When memory is short,
  // or preparing the data takes too long, it stays from then on.
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
