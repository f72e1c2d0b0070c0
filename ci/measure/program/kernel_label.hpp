// SPDX-License-Identifier: Apache-2.0
// Short names for what a program launches, of which ids are made: the same in every process and on
// both sides of a comparison.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// "layer_norm_kernel<4>" of "void at::native::layer_norm_kernel<4>(float const*, float*)": without
// namespaces and parameters. Long template arguments, which tell kernels of one name apart, become
// eight hexadecimal digits.
[[nodiscard]] std::string short_kernel_name(std::string_view demangled);

// "4096·128", "16x16·32x8": blocks, then threads of each. Without what is 1 at the end.
[[nodiscard]] std::string shape_text(const results::Extents& grid, const results::Extents& block);

// The label of one of several kernels that have it, by its whole name.
[[nodiscard]] std::string told_apart(std::string_view label, std::string_view name);

// Ranges' paths as the beginnings of ids, by path; that of the empty path is the whole program's.
// The first part of one names a file of baselines, so it has only letters, digits, underscores,
// dashes and dots; where paths would have one id for that, those that are not spelled so end their
// first part in digits of their own. A path that is too long ends in digits that tell it from
// others.
[[nodiscard]] std::map<std::string, std::string> range_ids(const std::set<std::string>& paths);

}  // namespace warpgauge::ci
