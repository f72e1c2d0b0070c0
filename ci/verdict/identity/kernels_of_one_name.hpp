// SPDX-License-Identifier: Apache-2.0
// Several kernels of one name, each a benchmark of results that machine code alone gave:
// "IMAGE/KERNEL", "IMAGE/KERNEL#2". The order of files gives the numbers, so that those of two
// builds say nothing of which kernel was which.
#pragma once

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// `after` with the ids that `before` has for these kernels: first those of the same machine code,
// then the others, on both sides those first that take most. One that is left though each of
// `before` is still there may be a copy, as of a template, that became another kernel: if it takes
// more than each of them did, it stands for one of them. Results of something else stay as they
// are.
[[nodiscard]] results::Results numbered_as_before(const results::Results& before,
                                                  results::Results after);

}  // namespace warpgauge::ci
