// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/launch_calls.hpp"

#include <cstddef>

namespace warpgauge::inject {
namespace {

constexpr std::size_t kCalls = std::size_t{1} << 20U;

}  // namespace

LaunchCalls::LaunchCalls() : calls_(static_cast<Slot*>(std::calloc(kCalls, sizeof(Slot)))) {}

void LaunchCalls::put(std::uint32_t number, Call call) noexcept {
  if (calls_ == nullptr) return;
  Slot& slot = calls_[number % kCalls];
  slot.code.store(call.code, std::memory_order_relaxed);
  slot.number_and_instance.store(std::uint64_t{number} << 32U | call.instance,
                                 std::memory_order_release);
}

LaunchCalls::Call LaunchCalls::find(std::uint32_t number) const noexcept {
  if (calls_ == nullptr) return {};
  const Slot& slot = calls_[number % kCalls];
  const std::uint64_t known = slot.number_and_instance.load(std::memory_order_acquire);
  if (known >> 32U != number) return {};
  return {static_cast<std::uint32_t>(known), slot.code.load(std::memory_order_relaxed)};
}

}  // namespace warpgauge::inject
