// SPDX-License-Identifier: Apache-2.0
// How machines of one model differ, and how much of that shows in a benchmark's time. Pure
// functions; knows neither policy nor files.
//
// Dies of one model differ by more than a gate may overlook, each kind of kernel in its own way,
// and a few numbers a session tell nearly all of it (docs/explain/statistics.md has the figures).
// They are read off the controls: benchmarks whose code has not changed, or that the policy names.
// Many controls (kManyControls) also tell what all benchmarks have in common, and how much of what
// machines do to a benchmark no number tells.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ci/statistics/statistics.hpp"

namespace warpgauge::ci {

// Where a session's machine lies along each of the ways in which machines differ.
using MachineScore = std::vector<double>;

// From so many on they can tell more than one way in which machines differ, and outlast outliers.
constexpr std::size_t kManyControls = 10;

struct ControlTimes {
  std::vector<double> of_sessions;  // each session's mean, positive
  double variance = 0;              // of its logarithm by chance
};

struct MachineScores {
  bool by_many = false;                   // controls
  std::vector<double> common;             // of each session; of few controls 0
  double unseen = 0;                      // as of MachinePlace, of one session of these
  std::vector<MachineScore> of_sessions;  // of each way the mean is 0
  MachineScore noise;                     // variance of each by chance; of one control not known, 0
  // To place another session: of each control.
  std::vector<double> mean_logarithms;
  std::vector<double> variances;     // of a session's mean by chance
  std::vector<MachineScore> slopes;  // their root mean square over the controls is 1
};

// Of many controls first what they have in common in each session, by a robust fit. Then the
// principal components of the logarithms of the controls' times in the baseline's sessions,
// each control weighted by how well it is known: the first, or with many controls and four sessions
// those, three at most, that stand out of what chance makes and that no one or two controls carry.
// A score of 0.01: the controls are 1 % from their means, as root mean square. Every control has as
// many sessions. No component where all are alike. Signs have no meaning.
[[nodiscard]] MachineScores machine_scores(std::span<const ControlTimes> controls);

struct MachinePlace {
  MachineScore score;
  // Mean square, over the controls, of what the scores do not tell of their times and chance does
  // not: how the machine differs in ways that the baseline's do not.
  double unseen = 0;
  double unseen_degrees = std::numeric_limits<double>::infinity();
  // Logarithm of what all controls take longer, and its variance; of few controls 0.
  double common = 0;
  double common_variance = 0;
};

// Of another session, of which these are the times of the same controls, by weighted least squares,
// of which outliers take little where there are many controls. Nothing where too few of them
// are there.
[[nodiscard]] std::optional<MachinePlace> place_of(const MachineScores& known,
                                                   std::span<const std::optional<double>> times);

// Of at least one session.
[[nodiscard]] MachineScore mean_score(std::span<const MachineScore> scores);

// Variance of a session's mean about the plane through the sessions' scores, like spread_between;
// as many scores as sessions, none of them empty of figures. Where the sessions are too few for
// that, or the scores all alike: what spread_between says.
[[nodiscard]] SessionSpread spread_about_plane(std::span<const ProcessFigures> sessions,
                                               std::span<const MachineScore> scores);

// How the logarithm of a benchmark's time goes with the machine's scores, and how uncertain that
// leaves it on the machine in question.
struct MachineEffect {
  std::vector<double> slopes;
  double variance = 0;
};

// `there`: the machine in question. Before any session was seen, a benchmark is
// expected to follow the machine about as much as the controls do, either way: slopes of 0 with a
// standard deviation of 1. The sessions then say better, if `spread` is known: Bayesian linear
// regression with a known variance. They say nothing of a way in which `there` is further from them
// than they are from each other; of that, `same_code` says, a benchmark's own time is to speak, and
// it adds no uncertainty. What is unseen, and what all have in common, is left to the caller.
[[nodiscard]] MachineEffect machine_effect(std::span<const ProcessFigures> sessions,
                                           std::span<const MachineScore> scores,
                                           const MachinePlace& there, const MachineScore& noise,
                                           SessionSpread spread, bool same_code);

}  // namespace warpgauge::ci
