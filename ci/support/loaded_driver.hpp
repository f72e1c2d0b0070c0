// SPDX-License-Identifier: Apache-2.0
// The NVIDIA driver of this machine.
#pragma once

#include <optional>
#include <string>

namespace warpgauge::ci {

// What the driver that is loaded calls itself; nothing: none is seen. Some systems hide it.
[[nodiscard]] std::optional<std::string> loaded_driver();

}  // namespace warpgauge::ci
