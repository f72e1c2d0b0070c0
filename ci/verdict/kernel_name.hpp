// SPDX-License-Identifier: Apache-2.0
// Kernels as messages name them.
#pragma once

#include <string_view>

namespace warpgauge::ci {

// "transpose_tiled<1>" of "void transpose_tiled<1>(float const*, float*)".
[[nodiscard]] std::string_view without_parameters(std::string_view name);

}  // namespace warpgauge::ci
