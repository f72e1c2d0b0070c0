// SPDX-License-Identifier: Apache-2.0
// Puts a benchmark's data elsewhere in memory, time after time: how long a kernel takes depends on
// where its data lies, by up to 3 % (see docs/explain/measurement.md).
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <random>

#include "profiling/cupti/timing/sampling.hpp"
#include "profiling/harness/device_buffer.hpp"

namespace warpgauge::cupti {

class Placement {
 public:
  // relocate: of the Workload, may be absent. one_sample: what one takes.
  Placement(std::function<void()> relocate, Seconds one_sample);

  // Whether it is worth the time: not for a kernel of milliseconds, on which it shows no more.
  [[nodiscard]] bool moves() const { return relocate_ && !stays_; }

  // When memory is short, or this takes long, the data stays from now on.
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
  // Between the data of one time and the next, so that they do not take turns on two places.
  std::deque<DeviceBuffer<unsigned char>> gaps_;
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace warpgauge::cupti
