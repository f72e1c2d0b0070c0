// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/placement.hpp"

#include <utility>

#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {
namespace {

constexpr Seconds kStaysFrom{0.005};
constexpr Seconds kLongestMove{0.025};  // so that the fewest batches take 0.2 s
constexpr int kSlowMoves = 3;           // in a row, since a single move may take long by chance

}  // namespace

Placement::Placement(std::function<void()> relocate, Seconds one_sample)
    : relocate_(std::move(relocate)), one_sample_(one_sample), stays_(one_sample >= kStaysFrom) {}

void Placement::move() {
  if (!moves()) return;
  const Seconds start = steady_time();
  try {
    relocate_();
    ++moved_;
  } catch (const DeviceError&) {
    // If the device is broken, the next launch reports it.
    static_cast<void>(cudaGetLastError());
    stays_ = true;
  }
  one_move_ = steady_time() - start;
  slow_moves_ = one_move_ > kLongestMove ? slow_moves_ + 1 : 0;
  stays_ |= slow_moves_ == kSlowMoves;
}

std::size_t Placement::samples() const { return batch_size(one_sample_, one_move_); }

}  // namespace warpgauge::cupti
