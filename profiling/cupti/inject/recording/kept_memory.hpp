// SPDX-License-Identifier: Apache-2.0
// What this library allocated is not given back while its process ends: whoever ends it may have
// been interrupted within malloc, and holds the lock of an arena until the process is gone, for
// which freeing would wait. Allocating does not, where threads have arenas of their own; what CUPTI
// frees by itself may. Knows no CUPTI.
#pragma once

namespace warpgauge::inject {

// From now on, or no longer. Safe in a signal handler.
void keep_memory(bool keep) noexcept;

[[nodiscard]] bool keeps_memory() noexcept;

}  // namespace warpgauge::inject
