// SPDX-License-Identifier: Apache-2.0
// Within what the mean of one side lies, for what is held against a figure, not against another
// side.
#pragma once

#include <span>

#include "ci/statistics/statistics.hpp"

namespace warpgauge::ci {

// Of the mean over sessions of the means over processes, with this chance beyond each end. By the
// spread between processes or, of several sessions, that between sessions, whichever leaves less
// certain; never better known than to a uniform error within one step of the instrument.
// Throws std::invalid_argument for fewer than two figures.
[[nodiscard]] Interval bounds_of_mean(std::span<const ProcessFigures> sessions, double resolution,
                                      double chance);

}  // namespace warpgauge::ci
