// SPDX-License-Identifier: Apache-2.0
// Ends launches early, for a process that has been told to end.
#pragma once

#include <atomic>

namespace warpgauge::emulator {

namespace detail {
// Set for good, in a signal's handler, which gets no context.
inline constinit std::atomic<bool> interrupted{false};
}  // namespace detail

[[nodiscard]] inline bool interrupted() {
  return detail::interrupted.load(std::memory_order_relaxed);
}

inline void interrupt() { detail::interrupted.store(true, std::memory_order_relaxed); }

}  // namespace warpgauge::emulator
