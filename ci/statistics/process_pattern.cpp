// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/process_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/students_t.hpp"

namespace warpgauge::ci {
namespace {

constexpr double kByChance = 0.01;
constexpr std::size_t kFewestProcesses = 4;

double sum_of_squares(const std::vector<double>& values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
}

// Chance of a t so far from 0 on either side.
double chance_beyond(double t, double degrees) {
  if (!std::isfinite(t)) return 0;
  const StudentsT distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

// A distance of 0 is none, however well it is known.
double in_standard_errors(double distance, double standard_error) {
  if (distance == 0) return 0;
  return standard_error > 0 ? distance / standard_error : std::numeric_limits<double>::infinity();
}

std::optional<ProcessPattern> outlier_among(std::span<const double> processes) {
  const auto size = static_cast<double>(processes.size());
  std::optional<ProcessPattern> found;
  double smallest_chance = kByChance / size;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    std::vector<double> others(processes.begin(), processes.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const double mean = mean_of(others);
    const double variance = sum_of_squares(others, mean) / (size - 2);
    const double t =
        in_standard_errors(processes[i] - mean, std::sqrt(variance * (1 + 1 / (size - 1))));
    const double chance = chance_beyond(t, size - 2);
    if (chance >= smallest_chance) continue;
    smallest_chance = chance;
    found =
        ProcessPattern{.is = Pattern::outlier, .deviation = processes[i] / mean - 1, .outlier = i};
  }
  return found;
}

std::optional<ProcessPattern> modes_of(std::span<const double> processes) {
  constexpr double kTimesApart = 5;
  constexpr std::size_t kFewestOfEach = 2;
  constexpr std::size_t kFewest = 5;  // of four, two pairs are too often apart by chance
  if (processes.size() < kFewest) return std::nullopt;
  std::vector<double> sorted(processes.begin(), processes.end());
  std::sort(sorted.begin(), sorted.end());
  std::optional<ProcessPattern> found;
  double widest = 0;
  for (std::size_t i = kFewestOfEach; i + kFewestOfEach <= sorted.size(); ++i) {
    const double gap = sorted[i] - sorted[i - 1];
    const double extent = std::max(sorted[i - 1] - sorted.front(), sorted.back() - sorted[i]);
    if (gap <= widest || gap <= kTimesApart * extent) continue;
    widest = gap;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(i);
    const double low = mean_of(std::vector(sorted.begin(), middle));
    const double high = mean_of(std::vector(middle, sorted.end()));
    found = ProcessPattern{
        .is = Pattern::two_modes, .deviation = high / low - 1, .low = low, .high = high};
  }
  return found;
}

// Whether all processes of one mode came before those of the other, and not by chance.
bool came_one_after_the_other(std::span<const double> processes, const ProcessPattern& modes) {
  constexpr std::size_t kFewest = 8;
  if (processes.size() < kFewest) return false;
  const double middle = (modes.low + modes.high) / 2;
  int changes = 0;
  for (std::size_t i = 1; i < processes.size(); ++i) {
    changes += (processes[i] > middle) != (processes[i - 1] > middle) ? 1 : 0;
  }
  return changes == 1;
}

std::optional<ProcessPattern> drift_of(std::span<const double> processes) {
  const auto size = static_cast<double>(processes.size());
  const double mean = mean_of(processes);
  const double middle = (size - 1) / 2;
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double place = static_cast<double>(i) - middle;
    products += place * (processes[i] - mean);
    squares += place * place;
  }
  const double slope = products / squares;
  double residue = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double left = processes[i] - mean - slope * (static_cast<double>(i) - middle);
    residue += left * left;
  }
  const double t = in_standard_errors(slope, std::sqrt(residue / (size - 2) / squares));
  if (chance_beyond(t, size - 2) >= kByChance) return std::nullopt;
  const double first = mean - slope * middle;
  const double last = mean + slope * middle;
  return ProcessPattern{.is = Pattern::drift, .deviation = last / first - 1};
}

}  // namespace

std::optional<ProcessPattern> process_pattern(std::span<const double> processes, double least) {
  if (processes.size() < kFewestProcesses) return std::nullopt;
  std::optional<ProcessPattern> found = outlier_among(processes);
  if (!found) {
    found = modes_of(processes);
    if (found && came_one_after_the_other(processes, *found)) {
      const double change = processes.back() / processes.front() - 1;
      found = ProcessPattern{.is = Pattern::drift, .deviation = change};
    }
  }
  if (!found) found = drift_of(processes);
  if (found && std::abs(found->deviation) < least) return std::nullopt;
  return found;
}

}  // namespace warpgauge::ci
