// SPDX-License-Identifier: Apache-2.0
// Whether a program's first start, which fills caches, found them full.
#pragma once

#include "ci/measure/program/program_entries.hpp"

namespace warpgauge::ci {

// Whether the first start counts like the next one: it loaded the same machine code, launched the
// same kernels as often, and took no longer. What its kernels' times are is not looked at, so that
// they do not choose themselves. Of programs that start at once it never does: there is nothing to
// save, and times of starts say nothing.
[[nodiscard]] bool counts_like_the_next(const ProgramStart& first, const ProgramStart& next);

}  // namespace warpgauge::ci
