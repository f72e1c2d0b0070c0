// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/students_t.hpp"

namespace warpgauge::ci {
namespace {

constexpr double kKnownExactly = std::numeric_limits<double>::infinity();

// Beyond this the t-distribution is the normal one to every digit that matters here.
constexpr double kManyDegrees = 1e6;

double squared_deviations(std::span<const double> values) {
  const double mean = mean_of(values);
  return std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

// What the sessions of one side say together.
struct SideSummary {
  double sessions = 0;
  double mean = 0;
  double processes_variance = 0;  // within a session, of one process
  double processes_degrees = 0;
  double mean_of_inverse_sizes = 0;  // of 1 / processes of a session
  std::vector<double> session_means;
};

SideSummary summarise(std::span<const ProcessFigures> sessions) {
  SideSummary side;
  double deviations = 0;
  double inverse_sizes = 0;
  for (const ProcessFigures& session : sessions) {
    if (session.empty()) continue;
    if (std::any_of(session.begin(), session.end(), [](double value) { return !(value > 0); })) {
      throw std::invalid_argument("a figure that is compared by its ratio must be positive");
    }
    const auto size = static_cast<double>(session.size());
    side.session_means.push_back(mean_of(session));
    deviations += squared_deviations(session);
    side.processes_degrees += size - 1;
    inverse_sizes += 1 / size;
  }
  side.sessions = static_cast<double>(side.session_means.size());
  if (side.session_means.empty()) return side;
  side.mean = mean_of(side.session_means);
  side.mean_of_inverse_sizes = inverse_sizes / side.sessions;
  if (side.processes_degrees > 0) side.processes_variance = deviations / side.processes_degrees;
  return side;
}

// Variance of a uniform error within one step.
double rounding_variance(double resolution) { return resolution * resolution / 12; }

struct Component {
  double variance = 0;
  double degrees = kKnownExactly;
};

// Variance of a side's mean from what happens within its sessions, relative to the mean.
Component within_sessions(const SideSummary& side, double resolution) {
  const double processes = side.processes_variance * side.mean_of_inverse_sizes;
  const double rounding = rounding_variance(resolution);
  const double scale = side.mean * side.mean * side.sessions;
  if (rounding >= processes) return {rounding / scale, kKnownExactly};
  return {processes / scale, side.processes_degrees};
}

// Satterthwaite: as many degrees of freedom as give the sum the spread of its parts.
double degrees_of(std::span<const Component> components, double total) {
  double inverse = 0;
  for (const Component& part : components) {
    if (part.variance > 0) inverse += part.variance * part.variance / part.degrees;
  }
  if (inverse == 0) return kKnownExactly;
  return std::max(1.0, total * total / inverse);
}

// Chance of a value above t.
double upper_tail(double t, double degrees) {
  if (degrees > kManyDegrees) {
    return boost::math::cdf(boost::math::complement(boost::math::normal(), t));
  }
  return boost::math::cdf(boost::math::complement(StudentsT(degrees), t));
}

// The value above which a chance of beta lies.
double upper_quantile(double beta, double degrees) {
  if (degrees > kManyDegrees) {
    return boost::math::quantile(boost::math::complement(boost::math::normal(), beta));
  }
  return boost::math::quantile(boost::math::complement(StudentsT(degrees), beta));
}

Uncertainty uncertainty(double variance, double degrees, double beta) {
  if (!(variance > 0)) return {};
  const double standard_error = std::sqrt(variance);
  return {standard_error, degrees, upper_quantile(beta, degrees) * standard_error};
}

// As if all processes of a side were alike, whatever their session.
Uncertainty between_processes(const SideSummary& before, const SideSummary& after,
                              double resolution, double beta) {
  const Component components[] = {within_sessions(before, resolution),
                                  within_sessions(after, resolution)};
  const double total = components[0].variance + components[1].variance;
  return uncertainty(total, degrees_of(components, total), beta);
}

Uncertainty between_sessions(const SideSummary& before, const SideSummary& after,
                             SessionSpread spread, const TestTerms& terms,
                             SessionSpread device_spread) {
  std::vector<Component> components{{terms.device_variance, kKnownExactly}};
  if (spread.degrees_of_freedom > 0) {
    components.push_back(
        {spread.variance * (1 / before.sessions + 1 / after.sessions), spread.degrees_of_freedom});
  }
  if (device_spread.degrees_of_freedom > 0) {
    components.push_back({device_spread.variance, device_spread.degrees_of_freedom});
  }
  double total = 0;
  for (const Component& part : components) total += part.variance;
  return uncertainty(total, degrees_of(components, total), terms.beta);
}

// Chance of a shift at least this far beyond the floor if the true one is the floor, for the
// uncertainty that leaves more of it: of two intervals the wider one need not have the heavier
// tail.
double chance_of(double beyond_floor, std::span<const Uncertainty> uncertainties) {
  double chance = 0;
  bool any_spread = false;
  for (const Uncertainty& each : uncertainties) {
    if (!(each.standard_error > 0)) continue;
    chance = std::max(chance, upper_tail(beyond_floor / each.standard_error, each.degrees));
    any_spread = true;
  }
  constexpr double kRounding = 1e-12;
  // No spread at all: what is beyond the floor is beyond it.
  return any_spread ? chance : beyond_floor > kRounding ? 0 : 1;
}

// What the variances of a suite say of the variance of any of its benchmarks: as if it had been
// seen with so many degrees of freedom.
struct Prior {
  double variance = 0;
  double degrees = 0;
};

// The x at which the trigamma function, which falls without end, is y.
double inverse_trigamma(double y) {
  constexpr double kLowest = 1e-3;
  constexpr double kHighest = kManyDegrees;
  const auto excess = [y](double x) { return boost::math::trigamma(x) - y; };
  if (excess(kLowest) <= 0) return kLowest;
  if (excess(kHighest) >= 0) return kHighest;
  constexpr int kBits = 30;
  std::uintmax_t steps = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      excess, kLowest, kHighest, boost::math::tools::eps_tolerance<double>(kBits), steps);
  return (low + high) / 2;
}

// Smyth's moments of the logarithms of the variances: their mean gives the typical variance, and
// what they scatter beyond their own degrees of freedom how typical it is.
Prior prior_of(std::span<const SessionSpread> spreads, const Usual& usual, Says says) {
  std::vector<double> logarithms;
  double expected_scatter = 0;
  for (const SessionSpread& spread : spreads) {
    if (!(spread.variance > 0) || !(spread.degrees_of_freedom > 0)) continue;
    const double half = spread.degrees_of_freedom / 2;
    logarithms.push_back(std::log(spread.variance) - boost::math::digamma(half) + std::log(half));
    expected_scatter += boost::math::trigamma(half);
  }
  if (logarithms.empty()) return {usual.variance, usual.fewest_degrees};
  const auto count = static_cast<double>(logarithms.size());
  const double mean = mean_of(logarithms);
  expected_scatter /= count;
  const double scatter = count > 1 ? squared_deviations(logarithms) / (count - 1) : 0;
  const double excess = scatter - expected_scatter;

  Prior prior;
  prior.degrees = count < 2     ? usual.fewest_degrees
                  : excess <= 0 ? usual.most_degrees
                                : std::clamp(2 * inverse_trigamma(excess), usual.fewest_degrees,
                                             usual.most_degrees);
  prior.variance =
      std::exp(mean + boost::math::digamma(prior.degrees / 2) - std::log(prior.degrees / 2));
  if (prior.variance >= usual.variance) return prior;
  const double of_usual = 1 / boost::math::trigamma(usual.fewest_degrees / 2);
  const double of_suite =
      (says == Says::each ? count : 1) / (expected_scatter + std::max(excess, 0.0));
  prior.variance =
      std::exp((of_suite * std::log(prior.variance) + of_usual * std::log(usual.variance)) /
               (of_suite + of_usual));
  return prior;
}

}  // namespace

SessionSpread spread_between(std::span<const ProcessFigures> sessions) {
  const SideSummary side = summarise(sessions);
  if (side.sessions < 2) return {};
  const double degrees = side.sessions - 1;
  const double of_means = squared_deviations(side.session_means) / degrees;
  return {of_means / (side.mean * side.mean), degrees};
}

LeastSpread least_spread(std::span<const std::span<const ProcessFigures>> sides,
                         double resolution) {
  double deviations = 0;  // relative, of all sides
  double degrees = 0;
  double rounding = 0;
  double inverse_sizes = 0;
  double with_sessions = 0;
  for (const auto& each : sides) {
    const SideSummary side = summarise(each);
    if (side.sessions < 1) continue;
    const double scale = side.mean * side.mean;
    deviations += side.processes_variance * side.processes_degrees / scale;
    degrees += side.processes_degrees;
    rounding += rounding_variance(resolution) / scale;
    inverse_sizes += side.mean_of_inverse_sizes;
    ++with_sessions;
  }
  if (with_sessions == 0) return {};
  rounding /= with_sessions;
  const double processes = degrees > 0 ? deviations / degrees * inverse_sizes / with_sessions : 0;
  if (rounding >= processes) return {{rounding, kManyDegrees}, rounding > 0};
  return {{processes, degrees}, false};
}

std::optional<double> process_deviation(std::span<const ProcessFigures> sessions) {
  const SideSummary side = summarise(sessions);
  if (!(side.processes_degrees > 0)) return std::nullopt;
  return std::sqrt(side.processes_variance) / side.mean;
}

std::vector<SessionSpread> moderate(std::span<const SessionSpread> spreads, const Usual& usual,
                                    Says says) {
  const Prior prior = prior_of(spreads, usual, says);
  std::vector<SessionSpread> moderated;
  for (const SessionSpread& own : spreads) {
    const double degrees = prior.degrees + own.degrees_of_freedom;
    const double prior_share = prior.degrees / degrees;
    moderated.push_back({prior_share * prior.variance + (1 - prior_share) * own.variance, degrees});
  }
  return moderated;
}

Estimate compare_means(std::span<const ProcessFigures> before_sessions,
                       std::span<const ProcessFigures> after_sessions, SessionSpread spread,
                       const TestTerms& terms) {
  const SideSummary before = summarise(before_sessions);
  const SideSummary after = summarise(after_sessions);
  if (before.processes_degrees + before.sessions < 2 ||
      after.processes_degrees + after.sessions < 2) {
    throw std::invalid_argument("a spread takes at least two figures a side");
  }

  const Uncertainty of_processes = between_processes(before, after, terms.resolution, terms.beta);
  const Uncertainty of_sessions =
      between_sessions(before, after, spread, terms, terms.device_spread);
  const Uncertainty of_rare_devices =
      terms.rare_device_spread.degrees_of_freedom > 0
          ? between_sessions(before, after, spread, terms, terms.rare_device_spread)
          : Uncertainty{};
  const double of_devices = terms.device_variance + terms.device_spread.variance;
  const bool sessions_tell = before.sessions > 1 || of_devices > 2 * spread.variance;
  const bool limited_by_sessions =
      sessions_tell && of_sessions.half_width > of_processes.half_width;
  const double half_width = std::max(of_sessions.half_width, of_processes.half_width);
  const double shift = std::log(after.mean / before.mean);

  Estimate estimate{.before = before.mean, .after = after.mean, .ratio = after.mean / before.mean};
  estimate.limited_by_sessions = limited_by_sessions;
  estimate.of_processes = of_processes;
  estimate.of_sessions = of_sessions;
  estimate.of_rare_devices = of_rare_devices;
  estimate.low = std::exp(shift - half_width);
  estimate.high = std::exp(shift + half_width);
  estimate.floor =
      std::max(terms.relative_floor, terms.absolute_floor / std::min(before.mean, after.mean));
  const double floor = std::log1p(estimate.floor);
  const Uncertainty all[] = {of_processes, of_sessions, of_rare_devices};
  estimate.p_greater = chance_of(shift - floor, all);
  estimate.p_less = chance_of(-shift - floor, all);
  return estimate;
}

Interval interval_at(const Estimate& estimate, double chance) {
  double half_width = 0;
  for (const Uncertainty& each :
       {estimate.of_processes, estimate.of_sessions, estimate.of_rare_devices}) {
    if (!(each.standard_error > 0)) continue;
    half_width = std::max(half_width, upper_quantile(chance, each.degrees) * each.standard_error);
  }
  return {estimate.ratio * std::exp(-half_width), estimate.ratio * std::exp(half_width)};
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto tests_left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, p_values[order[rank]] * tests_left));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

Shift classify(const Estimate& estimate, double alpha) {
  if (estimate.p_greater < alpha) return Shift::greater;
  if (estimate.p_less < alpha) return Shift::less;
  const double most = 1 + estimate.floor;
  const bool not_greater = estimate.high <= most;
  const bool not_less = estimate.low >= 1 / most;
  if (not_greater && not_less) return Shift::none;
  return not_greater ? Shift::not_greater : not_less ? Shift::not_less : Shift::unclear;
}

std::optional<CommonShift> common_shift(std::span<const Estimate> suite) {
  constexpr std::size_t kFewest = 5;
  const auto count = [&](auto moved) {
    return static_cast<std::size_t>(std::count_if(suite.begin(), suite.end(), moved));
  };
  const std::size_t up = count([](const Estimate& each) { return each.low > 1; });
  const std::size_t down = count([](const Estimate& each) { return each.high < 1; });
  const std::size_t moved = std::max(up, down);
  if (moved < kFewest || 3 * moved < 2 * suite.size()) return std::nullopt;
  std::vector<double> ratios;
  ratios.reserve(suite.size());
  for (const Estimate& each : suite) ratios.push_back(each.ratio);
  return CommonShift{up > down, moved, median_of(std::move(ratios))};
}

}  // namespace warpgauge::ci
