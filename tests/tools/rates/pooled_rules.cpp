// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/rates/pooled_rules.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "ci/statistics/mean.hpp"
#include "tests/tools/rates/competing_rules.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;

constexpr double kAlpha = 0.05;
constexpr double kFloor = 0.005;  // Warpgauge's own of two sides in turns

double variance_of_mean(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  const auto count = static_cast<double>(values.size());
  return squares / (count - 1) / count;
}

std::vector<double> all_launches(const BenchmarkResult& benchmark) {
  std::vector<double> all;
  for (const auto& process : benchmark.samples_ns)
    all.insert(all.end(), process.begin(), process.end());
  return all;
}

Said mann_whitney(const BenchmarkResult& before, const BenchmarkResult& after) {
  const std::vector<double> a = all_launches(before);
  const std::vector<double> b = all_launches(after);
  if (a.empty() || b.empty()) return Said::open;
  return mean_of(b) > mean_of(a) && mann_whitney_p(a, b) < kAlpha ? Said::slower : Said::not_slower;
}

Said welch(const BenchmarkResult& before, const BenchmarkResult& after) {
  const std::vector<double> a = times_of(before);
  const std::vector<double> b = times_of(after);
  if (a.size() < 2 || b.size() < 2) return Said::open;
  return mean_of(b) > (1 + kFloor) * mean_of(a) && welch_p(a, b) < kAlpha ? Said::slower
                                                                          : Said::not_slower;
}

bool welch_beyond_floors(CompetingRule::Samples before, CompetingRule::Samples after) {
  constexpr double kAbsoluteFloor = 64;  // ns, two steps of a GPU's timestamps
  const std::vector<double> a(before.begin(), before.end());
  const std::vector<double> b(after.begin(), after.end());
  if (a.size() < 2 || b.size() < 2) return false;
  const double floor = std::max(kFloor * mean_of(a), kAbsoluteFloor);
  return mean_of(b) > mean_of(a) + floor && welch_p(a, b) < kAlpha;
}

}  // namespace

const CompetingRule& welch_with_floors() {
  static const CompetingRule kRule{
      "Welch with floors",
      "over the processes' figures, p < 0.05, and means that differ by more than 0.5 % and 64 ns",
      welch_beyond_floors, true};
  return kRule;
}

std::vector<double> times_of(const BenchmarkResult& benchmark) {
  const results::Metric* const time = benchmark.find(results::kTimeMetric);
  return time == nullptr ? std::vector<double>{} : time->figures();
}

double welch_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return 1;
  const double of_a = variance_of_mean(a);
  const double of_b = variance_of_mean(b);
  const double difference = std::abs(mean_of(a) - mean_of(b));
  if (!(of_a + of_b > 0)) return difference > 0 ? 0 : 1;
  const double freedom = (of_a + of_b) * (of_a + of_b) /
                         (of_a * of_a / static_cast<double>(a.size() - 1) +
                          of_b * of_b / static_cast<double>(b.size() - 1));
  const boost::math::students_t distribution(freedom);
  const double t = difference / std::sqrt(of_a + of_b);
  return 2 * boost::math::cdf(boost::math::complement(distribution, t));
}

const std::vector<PooledRule>& pooled_rules() {
  static const std::vector<PooledRule> kRules{
      {"Mann–Whitney", "over all launches of all processes, p < 0.05, means in that order",
       mann_whitney},
      {"Welch", "over the processes' figures, p < 0.05, and means that differ by more than 0.5 %",
       welch}};
  return kRules;
}

}  // namespace warpgauge::ci
