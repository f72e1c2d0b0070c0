// SPDX-License-Identifier: Apache-2.0
// However often a gate looks, it errs no more often than the policy allows: the whole procedure,
// simulated on figures whose truth is known.
#include "ci/statistics/looks.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kTrials = 2000;

// Kernels of 100 µs on both sides, in turns.
struct Truth {
  double ratio = 1;
  double spread = 0.01;  // between processes
  double floor = 0;
  int kernels = 1;
};

Policy policy_with(double floor, double alpha) {
  Policy policy = parse_policy("[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n", "test");
  policy.metrics.front().rule.relative_floor = floor;
  policy.alpha = alpha;
  return policy;
}

class Simulated {
 public:
  Simulated(Truth truth, double alpha) : truth_(truth), policy_(policy_with(truth.floor, alpha)) {}

  // How many of so many gates have a benchmark with this verdict.
  int with(Verdict verdict) {
    int count = 0;
    for (int trial = 0; trial < kTrials; ++trial) count += gate().count(verdict) > 0 ? 1 : 0;
    return count;
  }

 private:
  GateVerdict gate() {
    before_.assign(static_cast<std::size_t>(truth_.kernels), {});
    after_ = before_;
    Measuring measuring;
    measuring.has_clock = true;
    measuring.observe_all = [&] { time(5, {}); };
    measuring.time_again = [&](const std::set<std::string>& ids, int more) { time(more, ids); };
    measuring.measured = [&] { return Sides{side(before_), side(after_)}; };
    measuring.keep = [] {};
    measuring.now = [] { return std::chrono::steady_clock::time_point(); };
    return measure_and_judge(measuring, {}, [&](const MeasuredSides& measured) {
      return judge(measured, nullptr, policy_, {.design = Design::interleaved});
    });
  }

  static std::string id_of(std::size_t kernel) { return "a/b/" + std::to_string(kernel); }

  void time(int processes, const std::set<std::string>& ids) {
    for (std::size_t kernel = 0; kernel < before_.size(); ++kernel) {
      if (!ids.empty() && !ids.contains(id_of(kernel))) continue;
      for (int i = 0; i < processes; ++i) {
        before_[kernel].push_back(figure(1));
        after_[kernel].push_back(figure(truth_.ratio));
      }
    }
  }

  double figure(double ratio) { return 100'000 * ratio * (1 + truth_.spread * normal_(random_)); }

  static results::Results side(const std::vector<std::vector<double>>& times) {
    results::Results results;
    results.session.emplace();
    for (std::size_t kernel = 0; kernel < times.size(); ++kernel) {
      results::BenchmarkResult& benchmark = results.benchmarks.emplace_back();
      benchmark.id = id_of(kernel);
      benchmark.metrics["time"].sessions = {times[kernel]};
    }
    return results;
  }

  Truth truth_;
  Policy policy_;
  std::mt19937_64 random_{20261123};
  std::normal_distribution<double> normal_;
  std::vector<std::vector<double>> before_;
  std::vector<std::vector<double>> after_;
};

TEST(Looks, SpendAllOfWhatThereIsAndNoMore) {
  for (const int growing : {1, 2}) {
    for (const bool in_turns : {false, true}) {
      for (const bool early : {false, true}) {
        const LookShares shares = look_shares(growing, in_turns, early);
        EXPECT_DOUBLE_EQ(growing * shares.of_each + shares.in_turns, 1) << "of alpha";
        EXPECT_DOUBLE_EQ(growing * shares.beta_of_each + shares.beta_of_early + shares.in_turns, 1);
        EXPECT_EQ(shares.in_turns > 0, in_turns);
        EXPECT_EQ(shares.beta_of_early > 0, early);
      }
    }
  }
  EXPECT_EQ(look_shares(1, false).of_each, 1) << "exactly so many processes: as if there were one";
}

// Within 1.96 standard errors of what is promised.
int most_of(double promised) {
  return static_cast<int>(kTrials * promised + 1.96 * std::sqrt(kTrials * promised));
}

TEST(Looks, WhatChangedByTheFloorIsSeldomCalledTheSame) {
  const double beta = Policy().beta;
  for (const double spread : {0.003, 0.005, 0.01}) {
    const Truth truth{.ratio = 1.01, .spread = spread, .floor = 0.01};
    const int same = Simulated(truth, 0.01).with(Verdict::same);
    EXPECT_LE(same, most_of(beta)) << spread;
  }
}

TEST(Looks, WhatChangedByNoMoreThanTheFloorSeldomAlarms) {
  // At the floor, where an alarm is likeliest, and a greater chance, to see it in so few trials.
  constexpr double kAlpha = 0.1;
  for (const int kernels : {1, 10}) {
    const Truth truth{.ratio = 1.01, .floor = 0.01, .kernels = kernels};
    EXPECT_LE(Simulated(truth, kAlpha).with(Verdict::regressed), most_of(kAlpha)) << kernels;
    const Truth faster{.ratio = 1 / 1.01, .floor = 0.01, .kernels = kernels};
    EXPECT_LE(Simulated(faster, kAlpha).with(Verdict::improved), most_of(kAlpha)) << kernels;
  }
}

}  // namespace
}  // namespace warpgauge::ci
