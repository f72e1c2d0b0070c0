// SPDX-License-Identifier: Apache-2.0
// Which lines of the source show what became of kernels, and how that reads.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/machine_code/kernel_pairs.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// Accesses of these kinds after the change. Those of which the side before has the same text, too,
// show nothing; but rather these than none.
[[nodiscard]] std::vector<results::CodePlace> places_of(const std::vector<std::string>& kinds,
                                                        const KernelPair& pair);

// " at kernels/copy.cuh:31: b = in[1];"; empty: there are none.
[[nodiscard]] std::string at_places(const std::vector<results::CodePlace>& places);

// Where a kernel begins in the source: what registers and shared memory take is of no line alone.
// Older results know only lines of accesses, of which the first counts. nullptr: not known.
[[nodiscard]] const results::CodePlace* first_place(const std::vector<results::CodePlace>& places);

// ", first known line kernels/copy.cuh:12"; empty: none is known.
[[nodiscard]] std::string where_they_are(const KernelCodes& codes);

// "copy<4>, scan and 2 more".
[[nodiscard]] std::string kernels_text(const KernelCodes& codes);

}  // namespace warpgauge::ci
