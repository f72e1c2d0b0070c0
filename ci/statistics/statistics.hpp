// SPDX-License-Identifier: Apache-2.0
// Whether a figure changed from one measurement to another. Pure functions; knows neither policy
// nor files.
//
// The process is the replicate: samples within a process share its address layout and clocks, and
// testing them against each other calls nearly every pair of identical kernels different. Processes
// of one session in turn share a die, a driver and a temperature, so that a stored baseline of
// several sessions carries a second spread, the one between sessions.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace warpgauge::ci {

// Figures of the processes of one session. All positive.
using ProcessFigures = std::vector<double>;

// Variance of the logarithm of a session's mean (for small spreads: of its relative deviation),
// with all that goes into it: die, start of the machine, processes, clock. Known no better than its
// degrees of freedom say; none: nothing is known.
struct SessionSpread {
  double variance = 0;
  double degrees_of_freedom = 0;
};

// Of one benchmark: the variance of its sessions' means. Fewer than two sessions: nothing is known.
[[nodiscard]] SessionSpread spread_between(std::span<const ProcessFigures> sessions);

// Least that the variance of a session's mean can be: what processes and resolution explain of it.
struct LeastSpread {
  SessionSpread spread;
  bool by_clock = false;  // the resolution explains more than the processes
};

// By what the sessions of all sides say of their processes, of a session of a usual size. The same
// where the sides are exchanged.
[[nodiscard]] LeastSpread least_spread(std::span<const std::span<const ProcessFigures>> sides,
                                       double resolution);

// Relative standard deviation of a process within its session, over all sessions together. Nothing
// when no session has two processes.
[[nodiscard]] std::optional<double> process_deviation(std::span<const ProcessFigures> sessions);

// What is usual of a variance, before any was seen, and how far a suite can make that more certain.
struct Usual {
  double variance = 0;
  double fewest_degrees = 8;
  double most_degrees = 20;
};

// What the variances of a suite say together: each of its own, or all one and the same, since the
// same machines moved all of them.
enum class Says { each, as_one };

// Of each benchmark of a suite, in the order given. Three sessions of one benchmark alone say too
// little, and benchmarks differ too much to share one variance (on seven H200s 0.04 % for one
// kernel and 1.3 % for another), so each is drawn towards the suite's typical one by as much as the
// variances of the suite agree with each other: empirical Bayes as in G. K. Smyth, "Linear models
// and empirical Bayes methods for assessing differential expression", 2004, section 6.2. What is
// usual bounds how certain the typical one is, since few benchmarks agree by chance; a typical one
// that is less is drawn up to it, as by one more variance of its fewest degrees. Benchmarks of
// which nothing is known get what the suite says.
[[nodiscard]] std::vector<SessionSpread> moderate(std::span<const SessionSpread> spreads,
                                                  const Usual& usual, Says says);

// How well the logarithm of a ratio is known. No standard error: this source brings none.
struct Uncertainty {
  double standard_error = 0;
  double degrees = std::numeric_limits<double>::infinity();
  double half_width = 0;  // of the interval
};

// By what two sides are tested.
struct TestTerms {
  double beta = 0.05;         // of each of the two tests of equivalence
  double relative_floor = 0;  // a ratio counts as changed beyond 1 + the greater floor
  double absolute_floor = 0;  // in the figures' unit; as a share of the smaller side
  double resolution = 0;      // step of the instrument in the figures' unit
  // Variance of the ratio's logarithm: what is not known of the two devices, of which the second is
  // known no better than its degrees of freedom say.
  double device_variance = 0;
  SessionSpread device_spread = {};
  // Instead of the second, for the p-values alone: devices of which few kernels are far off.
  SessionSpread rare_device_spread = {};
};

struct Estimate {
  double before = 0;  // mean over sessions of the means over processes
  double after = 0;
  double ratio = 1;
  double floor = 0;  // as a ratio − 1
  double low = 1;    // of the interval of the ratio, at the level 1 − 2·beta
  double high = 1;
  double p_greater = 1;  // chance of a ratio at least this large if the true one is 1 + floor
  double p_less = 1;     // … at least this small if the true one is its inverse
  // The spread between sessions is what limits this; more processes would not help. Of one session
  // to compare with, they do, unless it is the devices that are not known.
  bool limited_by_sessions = false;
  Uncertainty of_processes = {};
  Uncertainty of_sessions = {};
  Uncertainty of_rare_devices = {};  // for the p-values alone
};

// Compares two sides by the logarithm of the ratio of their means. The error is that of the spread
// between processes, with Welch's degrees of freedom, or that of the spread between sessions,
// whichever leaves less certain, of the interval and of each p-value apart. The devices' variances
// count with the sessions. A session's mean is never taken to be known better than to a uniform
// error within one step of the instrument, which averaging over processes does not reduce when the
// kernel is as steady as the clock is coarse. `spread` counts once for each session on either side.
//
// The interval is the one that goes with two one-sided tests of equivalence at beta. The p-values
// are of tests against the floor: sides that differ by less than it, by whatever drifts between
// two sessions, raise no more alarms than equal ones.
// Throws std::invalid_argument when a side has fewer than two figures or one that is not positive.
[[nodiscard]] Estimate compare_means(std::span<const ProcessFigures> before,
                                     std::span<const ProcessFigures> after, SessionSpread spread,
                                     const TestTerms& terms);

struct Interval {
  double low = 1;
  double high = 1;
};

// Of the ratio, with this chance beyond each of its ends: wholly above 1 + floor just where the
// p-value of greater is below `chance`, and wholly below the inverse just where that of less is.
[[nodiscard]] Interval interval_at(const Estimate& estimate, double chance);

// p-values adjusted so that the chance of any false alarm among all of them is at most alpha
// (Holm 1979), in the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

enum class Shift {
  none,         // the interval lies within the floor
  greater,      // shown above 1 + floor
  less,         // shown below its inverse
  not_greater,  // the interval lies below 1 + floor, and reaches below its inverse
  not_less,     // … above the inverse, and reaches above 1 + floor
  unclear,      // it reaches beyond both
};

// Greater and less by a p-value below alpha, the rest by the interval. With the sides exchanged,
// the same the other way. `estimate` brings its p-values adjusted.
[[nodiscard]] Shift classify(const Estimate& estimate, double alpha);

// Most of a suite moving one way.
struct CommonShift {
  bool greater = false;
  std::size_t moved = 0;  // whose interval lies wholly on that side of 1
  double median_ratio = 1;
};

// Nothing unless at least five, and at least two thirds, of the benchmarks moved one way by more
// than their own uncertainty.
[[nodiscard]] std::optional<CommonShift> common_shift(std::span<const Estimate> suite);

}  // namespace warpgauge::ci
