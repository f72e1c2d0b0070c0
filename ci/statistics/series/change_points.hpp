// SPDX-License-Identifier: Apache-2.0
// Where a series of figures changed for good. Pure functions; knows neither runs nor policy.
//
// Places are found by the divergence of E-divisive with means (divergence.hpp). What it does for
// performance over commits: D. Daly, W. Brown, H. Ingo, J. O'Leary, D. Bradford, "The Use of Change
// Point Detection to Identify Software Performance Regressions in a Continuous Integration System",
// ICPE 2020. Significance by Student's t-test between neighbouring segments, and a last pass that
// takes out the weakest until all hold, as in M. Fleming, P. Kołaczkowski, I. Kumar, S. Das, S.
// McCarthy, P. Pattabhi, H. Ingo, "Hunter: Using Change Point Detection to Hunt for Performance
// Regressions", ICPE 2023 (now Apache Otava). Where Hunter slides one window over the series, these
// are of all lengths: the seeded intervals of S. Kovács, P. Bühlmann, H. Li, A. Munk, "Seeded
// binary segmentation", Biometrika 110, 2023.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace warpgauge::ci {

struct SeriesPoint {
  double value = 0;
  // What the measurement of this point alone explains of its scatter; 0: nothing is known.
  double variance = 0;
};

enum class ChangeKind { step, drift };

struct Change {
  ChangeKind kind = ChangeKind::step;
  std::size_t first = 0;  // a step: the first point after it; a drift: its first point
  std::size_t last = 0;   // a step: as first; a drift: its last point
  double before = 0;      // level before the step; where the drift begins
  double after = 0;
  double p = 1;  // as adjusted for the number of places where it could have been

  friend bool operator==(const Change&, const Change&) = default;
};

struct ChangeOptions {
  // Chance of any false alarm in a series without a change, as far as its points are independent.
  double alpha = 0.01;
};

// Fewest points on either side of a step. Of fewer it is not known whether they are a new level.
inline constexpr std::size_t kFewestPoints = 3;

// Fewest points that make a drift.
inline constexpr std::size_t kFewestDriftPoints = 8;

// Steps and drifts in the order of their first points; odd points (usual_points.hpp) are none and
// hide none. A drift is found as a stair of steps, and
// told from steps by what explains the series with fewer figures: G. Schwarz, "Estimating the
// Dimension of a Model", Annals of Statistics 6, 1978. The same points give the same changes.
[[nodiscard]] std::vector<Change> find_changes(std::span<const SeriesPoint> points,
                                               const ChangeOptions& options = {});

// First points of each new value, however small the difference: for what is counted exactly.
[[nodiscard]] std::vector<std::size_t> find_exact_changes(std::span<const double> values);

}  // namespace warpgauge::ci
