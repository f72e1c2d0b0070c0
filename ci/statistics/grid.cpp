// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/grid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace warpgauge::ci {
namespace {

// The greatest chance of lying on a step by accident at which a step is believed in.
constexpr double kMostChance = 1e-4;

// Half a unit of the sixth digit of 1.00000, relative.
constexpr double kSixDigits = 5e-6;

double tolerance(double figure) { return kSixDigits * figure; }

// Rounded as they may be, larger figures fit any step.
bool says_something(double figure, double step) { return 8 * tolerance(figure) <= step; }

double away_from_multiple(double figure, double step) {
  return std::abs(figure - step * std::round(figure / step));
}

// The power of ten that all figures are multiples of: the last digit that was printed. Of figures
// with all their digits there is none, which is 0.
double printed_step(const std::vector<double>& figures) {
  constexpr double kExact = 1e-12;
  constexpr int kFewestDecimals = -9;
  constexpr int kMostDecimals = 6;
  for (int decimals = kFewestDecimals; decimals <= kMostDecimals; ++decimals) {
    const double step = std::pow(10.0, -decimals);
    const auto is_multiple = [step](double figure) {
      return away_from_multiple(figure, step) <= kExact * figure;
    };
    if (std::all_of(figures.begin(), figures.end(), is_multiple)) return step;
  }
  return 0;
}

// The step nearest to this one of which all figures are multiples. It is fitted to more and more of
// them, the small ones first: these are few steps, so that a step that is a little off is not off
// by a whole one. Nothing: there is none.
std::optional<double> fitted(double step, const std::vector<double>& ascending) {
  double products = 0;
  double squares = 0;
  for (const double figure : ascending) {
    if (!says_something(figure, step)) break;
    const double multiple = std::round(figure / step);
    if (multiple < 1 || 4 * away_from_multiple(figure, step) > step) return std::nullopt;
    products += multiple * figure;
    squares += multiple * multiple;
    step = products / squares;
  }
  const bool all =
      squares > 0 && std::all_of(ascending.begin(), ascending.end(), [&](double each) {
        return !says_something(each, step) || away_from_multiple(each, step) <= 2 * tolerance(each);
      });
  return all ? std::optional(step) : std::nullopt;
}

// How likely figures that know nothing of the step all lie on it. A clock's figures repeat, but the
// repetition of one that was copied says little.
double chance_of_step(double step, double printed, const std::vector<double>& ascending) {
  constexpr int kMostOfOne = 4;
  double chance = 1;
  int alike = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    alike = i > 0 && ascending[i] - ascending[i - 1] <= tolerance(ascending[i]) ? alike + 1 : 1;
    // Two of the figures made the step what it is.
    if (i < 2 || alike > kMostOfOne || !says_something(ascending[i], step)) continue;
    chance *= std::min(1.0, std::max(printed, 4 * tolerance(ascending[i])) / step);
  }
  return chance;
}

// Those that differ by more than rounding.
std::vector<double> different(const std::vector<double>& ascending) {
  std::vector<double> found;
  for (const double figure : ascending) {
    if (found.empty() || figure - found.back() > 2 * tolerance(figure)) found.push_back(figure);
  }
  return found;
}

// The smallest, to a tenth, taken of the smallest figures: these are known best.
double least_difference(const std::vector<double>& apart) {
  double least = apart.back();
  for (std::size_t i = 1; i < apart.size(); ++i) least = std::min(least, apart[i] - apart[i - 1]);
  std::size_t i = 1;
  while (apart[i] - apart[i - 1] > 1.1 * least) ++i;
  return apart[i] - apart[i - 1];
}

}  // namespace

std::optional<double> grid_step(std::span<const double> figures) {
  constexpr std::size_t kFewestDifferent = 3;
  constexpr int kMostSteps = 64;  // that the smallest difference of two figures may be
  std::vector<double> ascending(figures.begin(), figures.end());
  std::sort(ascending.begin(), ascending.end());
  const std::vector<double> apart = different(ascending);
  if (apart.size() < kFewestDifferent || !(ascending.front() > 0)) return std::nullopt;
  const double least = least_difference(apart);
  const double printed = printed_step(ascending);
  for (int steps = 1; steps <= kMostSteps; ++steps) {
    const auto step = fitted(least / steps, ascending);
    if (step && kMostSteps * chance_of_step(*step, printed, ascending) < kMostChance) return step;
  }
  return std::nullopt;
}

bool lies_on_step(std::span<const std::vector<double>> groups, double step) {
  constexpr double kDrift = 1e-4;
  constexpr double kFloat = 2e-7;
  constexpr double kMostMisses = 0.02;
  if (!(step > 0)) return false;
  std::vector<double> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  const double printed = printed_step(all);
  double hits = 0;
  double misses = 0;
  double logarithm = 0;  // of the chance of all hits
  for (const auto& group : groups) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      const double difference = std::abs(group[i] - group[0]);
      const double rounding = printed > 0 ? 2 * printed : kFloat * group[i];
      const double accepted = rounding + kDrift * difference;
      if (8 * accepted > step || difference <= accepted) continue;  // says nothing
      if (away_from_multiple(difference, step) > accepted) {
        ++misses;
        continue;
      }
      ++hits;
      logarithm += std::log(std::min(1.0, (2 * accepted + printed) / step));
    }
  }
  if (misses > kMostMisses * (hits + misses)) return false;
  // Which ones are missed may be chosen in so many ways, at most.
  logarithm += misses * std::log(hits + misses + 1);
  return hits > 0 && logarithm < std::log(kMostChance);
}

}  // namespace warpgauge::ci
