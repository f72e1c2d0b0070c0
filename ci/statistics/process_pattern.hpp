// SPDX-License-Identifier: Apache-2.0
// What the processes of one session do that no spread describes. It decides nothing: it tells why
// there is no verdict, and what would settle it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace warpgauge::ci {

enum class Pattern {
  outlier,    // one process is far from all others
  two_modes,  // each process is near one of two figures
  drift,      // from the first process to the last
};

struct ProcessPattern {
  Pattern is = Pattern::outlier;
  // Of an outlier from the mean of the others, of the higher mode from the lower one, of the last
  // process from the first: as a share.
  double deviation = 0;
  std::size_t outlier = 0;  // its place, counted from 0
  double low = 0;           // means of the two modes
  double high = 0;
};

// Of figures in the order of their processes, all positive; nothing below four processes, two modes
// not below five, nor where it makes less than `least`, a share.
//
// Outlier: further from the others than by chance, 1 % for all processes together (the largest of
// the externally studentised deviations, with Bonferroni's bound, as F. E. Grubbs, "Procedures for
// detecting outlying observations in samples", 1969, tests the greatest). Two modes: two groups of
// at least two, further apart than five times what either extends over. Drift: the slope of a
// straight line, by its t-test at 1 %, or eight processes and more whose earlier ones are one mode
// and whose later ones are the other.
[[nodiscard]] std::optional<ProcessPattern> process_pattern(std::span<const double> processes,
                                                            double least);

}  // namespace warpgauge::ci
