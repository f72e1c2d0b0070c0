// SPDX-License-Identifier: Apache-2.0
// How machines of one model differ, and how much of that shows in a benchmark's time. Pure
// functions; knows neither policy nor files.
//
// Dies of one model differ by more than a gate may overlook: on six H200s kernels that read one
// element a thread took up to 3.5 % more or less, kernels that only read 1.9 % less or more, and
// matrix products the same. One number a session explained 89 % of it. That number is read off the
// controls: benchmarks whose code is not under test, the device's ceilings.
#pragma once

#include <span>
#include <vector>

#include "ci/statistics.hpp"

namespace warpgauge::ci {

struct MachineScores {
  std::vector<double> of_sessions;
  // Variance of a score by chance: what the controls scatter about that line. 0 with one control,
  // of which that cannot be said.
  double noise = 0;
};

// Place of each session on the line along which the controls' times differ most (the first
// principal component of their logarithms), with mean 0. A score of 0.01: the controls together are
// 1 % from the mean. `controls[c][s]` is the time of control c in session s, positive; every
// control has as many sessions. All 0 when there is no control. The sign has no meaning.
[[nodiscard]] MachineScores machine_scores(std::span<const std::vector<double>> controls);

// How the logarithm of a benchmark's time goes with the machine's score.
struct MachineEffect {
  double slope = 0;
  double slope_variance = 0;
};

// Variance of a session's mean about the line through the sessions' scores, like spread_between;
// as many scores as sessions, none of them empty. Fewer than three sessions, or scores all alike:
// what spread_between says.
[[nodiscard]] SessionSpread spread_about_line(std::span<const ProcessFigures> sessions,
                                              std::span<const double> scores);

// Before any session was seen, a benchmark is expected to follow the machine about as much as the
// controls themselves do, either way: a slope of 0 with a standard deviation of 1 (on the six H200s
// it was 0.5). The sessions then say better, if `spread` is known: Bayesian linear regression with
// a known variance.
[[nodiscard]] MachineEffect machine_effect(std::span<const ProcessFigures> sessions,
                                           std::span<const double> scores, double noise,
                                           SessionSpread spread);

}  // namespace warpgauge::ci
