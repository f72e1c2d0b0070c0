// SPDX-License-Identifier: Apache-2.0
// __cluster_dims__ of a kernel: how many blocks its clusters have, which launches need to know.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with the extents in front of each such kernel moved to the beginning of its body,
// as a constant of its own, which the emulator finds by its symbol; lines stay where they were. A
// declaration without a body keeps its qualifier, which the compiler refuses.
[[nodiscard]] std::string rewrite_cluster_dims(std::string_view preprocessed);

}  // namespace warpgauge::emulator
