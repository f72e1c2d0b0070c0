// SPDX-License-Identifier: Apache-2.0
// A process's figure of what it launched many times. Pure.
#pragma once

#include <span>

namespace warpgauge::ci {

// Of launches that are alike, their mean without the quarter that is shortest and the quarter that
// is longest: what ran beside the odd one is no property of the kernel. Of launches of several
// kinds, as of one kernel on small and on large data, that would be the figure of the commonest
// kind alone: there it is the mean of all.
//
// They are of several kinds where the 98th percentile is twice the 2nd, at least one launch aside
// at either end; from one and a half times on the figure goes over from one mean into the other,
// lest a program that lies on the border jump. In the mean of all the same outermost ones count as
// the nearest that is not one of them, so that a single interrupted launch moves neither.
//
// Throws as results::trimmed_mean() does.
[[nodiscard]] double launch_figure(std::span<const double> samples_ns);

}  // namespace warpgauge::ci
