// SPDX-License-Identifier: Apache-2.0
// Tells one input in device memory from another, without copying it to the host.
#pragma once

#include <cstdint>
#include <span>

#include "profiling/harness/device_memory.hpp"

namespace warpgauge::cupti {

// Over the contents of these blocks, at least one, their sizes and their order.
[[nodiscard]] std::uint64_t memory_digest(std::span<const DeviceBlock> blocks);

}  // namespace warpgauge::cupti
