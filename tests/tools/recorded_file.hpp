// SPDX-License-Identifier: Apache-2.0
// Results that are kept in this repository.
#pragma once

#include <filesystem>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// As read_results(); of a name that ends in .zst, what zstd compressed.
[[nodiscard]] results::Results read_recorded(const std::filesystem::path& file);

}  // namespace warpgauge::ci
