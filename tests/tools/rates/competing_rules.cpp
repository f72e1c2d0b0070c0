// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/rates/competing_rules.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <utility>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

// compare.py asks for nine repetitions, each of which is a mean over many iterations.
constexpr std::size_t kRepetitions = kFewestSamples;
constexpr double kUTestAlpha = 0.05;

std::vector<double> repetitions(Samples samples) {
  std::vector<double> means;
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    const std::size_t begin = i * samples.size() / kRepetitions;
    const std::size_t end = (i + 1) * samples.size() / kRepetitions;
    means.push_back(mean_of(samples.subspan(begin, end - begin)));
  }
  return means;
}

bool by_u_test(Samples before, Samples after) {
  const std::vector<double> a = repetitions(before);
  const std::vector<double> b = repetitions(after);
  return mean_of(b) > mean_of(a) && mann_whitney_p(a, b) < kUTestAlpha;
}

double relative_deviation(Samples samples) {
  const double mean = mean_of(samples);
  double squares = 0;
  for (const double each : samples) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1)) / mean;
}

bool by_noise(Samples before, Samples after) {
  const double difference = mean_of(after) / mean_of(before) - 1;
  return difference > std::min(relative_deviation(before), relative_deviation(after));
}

// Of the samples in order, the one that so many per cent of them come before.
double percentile(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[(percent * (sorted.size() - 1) + 50) / 100];
}

// That the clock was not lower takes no part: it was held, or is not known here.
bool by_gap(Samples before, Samples after) {
  constexpr double kLeastGap = 0.005;
  constexpr std::size_t kThirdQuartile = 75;
  std::vector<double> sorted(before.begin(), before.end());
  std::sort(sorted.begin(), sorted.end());
  const double fastest = *std::min_element(after.begin(), after.end());
  return fastest / percentile(sorted, kThirdQuartile) - 1 >= kLeastGap;
}

// What the tool goes by: the samples' least, their median and third quartile.
struct Summary {
  explicit Summary(Samples samples) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    least = sorted.front();
    median = percentile(sorted, 50);
    third_quartile = percentile(sorted, 75);
    dispersion = (third_quartile - percentile(sorted, 25)) / median;
  }

  double least = 0;
  double median = 0;
  double third_quartile = 0;
  double dispersion = 0;
};

// Shown to be the same, from summaries alone (without --jsonbin), by its default thresholds.
bool is_same_by_gap(const Summary& a, const Summary& b) {
  constexpr double kGreatestDispersion = 0.02;
  constexpr double kGreatestDifference = 0.005;
  constexpr double kLeastOverlap = 0.5;
  if (std::max(a.dispersion, b.dispersion) > kGreatestDispersion) return false;
  if (std::abs(a.median - b.median) / std::min(a.median, b.median) > kGreatestDifference)
    return false;
  const double low = std::max(a.least, b.least);
  const double high = std::min(a.third_quartile, b.third_quartile);
  const double width = std::min(a.third_quartile - a.least, b.third_quartile - b.least);
  if (high < low) return false;
  return !(width > 0) || (high - low) / width >= kLeastOverlap;
}

bool by_threshold(Samples before, Samples after) {
  constexpr double kThreshold = 1.05;
  return mean_of(after) > kThreshold * mean_of(before);
}

}  // namespace

bool leaves_open(const CompetingRule& rule, Samples before, Samples after) {
  if (rule.is_slower != by_gap) return false;
  return !by_gap(before, after) && !by_gap(after, before) &&
         !is_same_by_gap(Summary(before), Summary(after));
}

double mann_whitney_p(Samples a, Samples b) {
  std::vector<std::pair<double, bool>> all;  // value, of a
  for (const double each : a) all.emplace_back(each, true);
  for (const double each : b) all.emplace_back(each, false);
  std::sort(all.begin(), all.end());
  const auto count = static_cast<double>(all.size());
  double ranks_of_a = 0;
  double ties = 0;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const auto size = static_cast<double>(end - begin);
    const double rank = static_cast<double>(begin) + (size + 1) / 2;
    for (; begin < end; ++begin) ranks_of_a += all[begin].second ? rank : 0;
    ties += size * size * size - size;
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double u = ranks_of_a - n * (n + 1) / 2;
  const double deviation = std::sqrt(n * m / 12 * (count + 1 - ties / (count * (count - 1))));
  if (!(deviation > 0)) return 1;
  const double z = (std::abs(u - n * m / 2) - 0.5) / deviation;
  return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z)));
}

const std::vector<CompetingRule>& competing_rules() {
  static const std::vector<CompetingRule> kRules{
      {"compare.py", "Google Benchmark's: U of Mann and Whitney, p < 0.05, over 9 repetitions",
       by_u_test},
      {"nvbench_compare, noise",
       "NVBench's until 2026: means differ by more than the smaller relative deviation of samples",
       by_noise},
      {"nvbench_compare, gap",
       "NVBench's since: the fastest sample is 0.5 % above the other side's third quartile",
       by_gap},
      {"threshold of 5 %", "means of the samples differ by more than 5 %", by_threshold}};
  return kRules;
}

}  // namespace warpgauge::ci
