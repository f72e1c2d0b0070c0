// SPDX-License-Identifier: Apache-2.0
// Short names for what a program launches, of which ids are made: the same in every process and on
// both sides of a comparison.
#pragma once

#include <string>
#include <string_view>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// "layer_norm_kernel<4>" of "void at::native::layer_norm_kernel<4>(float const*, float*)": without
// namespaces and parameters. Long template arguments, which tell kernels of one name apart, become
// four hexadecimal digits.
[[nodiscard]] std::string short_kernel_name(std::string_view demangled);

// "4096·128", "16x16·32x8": blocks, then threads of each. Without what is 1 at the end.
[[nodiscard]] std::string shape_text(const results::Extents& grid, const results::Extents& block);

// A range's path as the beginning of an id. Its first part names a file of baselines, so it has
// only letters, digits, underscores, dashes and dots. A path that is too long ends in digits that
// tell it from others.
[[nodiscard]] std::string range_id(std::string_view path);

}  // namespace warpgauge::ci
