// SPDX-License-Identifier: Apache-2.0
// What the program's driver says of a device. Calls the driver: never with a lock held, since the
// driver calls back with its own.
#pragma once

#include <cstdint>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::inject {

// What is not known is zero and empty, but for the id.
[[nodiscard]] launches::DeviceRecord driver_device(std::uint32_t id);

}  // namespace warpgauge::inject
