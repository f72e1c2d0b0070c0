// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/placement.hpp"

#include <thread>
#include <utility>

#include "profiling/harness/device_memory.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {
namespace {

constexpr Seconds kStaysFrom{0.005};
constexpr Seconds kLongestMove{0.025};  // so that the fewest batches take 0.2 s
constexpr int kSlowMoves = 3;           // in a row, since a single move may take long by chance

}  // namespace

Seconds clearing_time(std::size_t freed_bytes) {
  constexpr Seconds kOfAGibibyte{0.003};
  constexpr double kGibibyte = std::size_t{1} << 30;
  return static_cast<double>(freed_bytes) / kGibibyte * kOfAGibibyte;
}

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
  std::this_thread::sleep_for(clearing_time(device_memory().take_freed_bytes()));
}

std::size_t Placement::samples() const { return batch_size(one_sample_, one_move_); }

}  // namespace warpgauge::cupti
