// SPDX-License-Identifier: Apache-2.0
// A process's figure from its samples. Pure; knows nothing of how they were taken.
#pragma once

#include <span>

namespace warpgauge::results {

// Mean of the samples without the `trimmed_fraction` smallest and as many largest, rounded down to
// whole samples.
//
// Kernel timestamps come in steps of 32 ns. A median sticks to a step, so that a shift of half a
// step is either invisible or doubled; a mean of everything follows the odd interrupted launch.
//
// Throws std::invalid_argument when there is no sample, when one is not finite, or when
// trimmed_fraction is not in [0, 0.5).
[[nodiscard]] double trimmed_mean(std::span<const double> samples, double trimmed_fraction = 0.1);

// Figure of a process that timed a kernel: mean of the faster half of its samples, without the
// fastest twentieth. Where the data lies, and what the flush left in the caches, makes some
// launches slower by up to 10 %, in shares that differ from process to process; they are no
// property of the kernel. See docs/explain/measurement.md. Throws as trimmed_mean does.
[[nodiscard]] double process_figure(std::span<const double> samples);

}  // namespace warpgauge::results
