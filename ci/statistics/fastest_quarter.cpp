// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/fastest_quarter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kFewestForQuarter = 12;

// Squared standard error of the mean of the first `kept` of sorted values.
double squared_error(std::vector<double> values, std::size_t kept) {
  // Halfway to the next one: of values of one mode the error comes out a tenth too small at the
  // last that counts, and a tenth too large at the next.
  const auto rest = values.begin() + static_cast<std::ptrdiff_t>(kept);
  const double last = values[kept - 1];
  const auto next = std::upper_bound(rest, values.end(), last);
  std::fill(rest, values.end(), next == values.end() ? last : (last + *next) / 2);
  const auto n = static_cast<double>(values.size());
  const auto h = static_cast<double>(kept);
  return squares_about_mean(values) * n / ((n - 1) * h * h);
}

ProcessFigures fastest_quarter(ProcessFigures figures) {
  const std::size_t kept = (figures.size() + 3) / 4;
  for (double& each : figures) each = std::log(each);
  std::sort(figures.begin(), figures.end());
  const double error = squared_error(figures, kept);
  figures.resize(kept);
  const double mean = mean_of(figures);
  if (figures.front() == figures.back()) {
    // By a coarse clock: they say nothing of the error, which is that of the next one.
    for (std::size_t i = 0; i < kept; ++i) figures[i] += i % 2 == 0 ? 1 : -1;
  }
  const double middle = mean_of(figures);
  const auto h = static_cast<double>(kept);
  const double wider = std::sqrt(error * h * (h - 1) / squares_about_mean(figures));
  for (double& each : figures) each = std::exp(mean + wider * (each - middle));
  return figures;
}

}  // namespace

bool have_quarters(const std::vector<ProcessFigures>& sessions) {
  return std::all_of(sessions.begin(), sessions.end(),
                     [](const ProcessFigures& each) { return each.size() >= kFewestForQuarter; });
}

std::vector<ProcessFigures> fastest_quarters(std::vector<ProcessFigures> sessions) {
  for (ProcessFigures& session : sessions) session = fastest_quarter(std::move(session));
  return sessions;
}

}  // namespace warpgauge::ci
