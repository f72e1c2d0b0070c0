// SPDX-License-Identifier: Apache-2.0
// However often a gate looks, it errs no more often than the policy allows: the whole procedure,
// simulated on figures whose truth is known.
#include "ci/statistics/looks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kLookTrials = 2000;

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
    for (int trial = 0; trial < kLookTrials; ++trial) count += gate().count(verdict) > 0 ? 1 : 0;
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
int most_of(double promised, int trials = kLookTrials) {
  return static_cast<int>(trials * promised + 1.96 * std::sqrt(trials * promised));
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

// A kernel of other code that a baseline of sessions 2 % apart leaves open, in turns with what was
// approved.
class InTurns {
 public:
  InTurns(double ratio, double spread) : ratio_(ratio), spread_(spread) {}

  void run(int gates) {
    for (int i = 0; i < gates; ++i) ++counts_[gate()];
  }
  [[nodiscard]] int count(Verdict verdict) const {
    const auto found = counts_.find(verdict);
    return found == counts_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t most_pairs() const { return most_pairs_; }

 private:
  Verdict gate() {
    std::vector<double> approved;
    std::vector<double> changed;
    Measuring measuring;
    measuring.has_clock = true;
    measuring.observe_all = [] {};
    measuring.time_again = [](const auto&, int) {};
    measuring.measured = [&] { return Sides{std::nullopt, side(steady(1), 'b')}; };
    measuring.keep = [] {};
    measuring.now = [] { return std::chrono::steady_clock::time_point(); };
    measuring.take_turns = [&] {
      return TurnTaking{"approved",
                        [&](const auto&, int pairs) {
                          for (int i = 0; i < pairs; ++i) approved.push_back(figure(1));
                          for (int i = 0; i < pairs; ++i) changed.push_back(figure(ratio_));
                        },
                        [&] {
                          return Sides{side(approved, 'a'), side(changed, 'b')};
                        }};
    };
    results::Results baseline = side(steady(0.98), 'a');
    baseline.is_baseline = true;
    auto& time = baseline.benchmarks.front().metrics.at("time");
    for (const double session : {1.0, 1.02}) time.sessions.push_back(steady(session));
    time.labels = {"monday", "tuesday", "wednesday"};
    const GateVerdict verdict = measure_and_judge(
        measuring, {}, [&](const auto& all) { return judge(all, &baseline, policy_, {}); });
    most_pairs_ = std::max(most_pairs_, approved.size());
    return verdict.benchmarks.at(0).verdict;
  }

  static std::vector<double> steady(double factor) {
    return {99'900 * factor, 100'000 * factor, 100'100 * factor};
  }
  static results::Results side(const std::vector<double>& times, char code) {
    return results_of(h200(), {{.id = "a/b/1",
                                .times_ns = times,
                                .machine_code = {kernel_code("kernel", code)},
                                .launches = {{.kernel = "kernel"}}}});
  }
  double figure(double ratio) { return 100'000 * ratio * (1 + spread_ * normal_(random_)); }

  double ratio_;
  double spread_;
  Policy policy_ = policy_with(0.01, 0.01);
  std::map<Verdict, int> counts_;
  std::size_t most_pairs_ = 0;
  std::mt19937_64 random_{20261125};
  std::normal_distribution<double> normal_;
};

// It is their spread that says how many, not their means.
TEST(Looks, TurnsAreOneHoweverManyPairsTheirSpreadAsksFor) {
  const double share = look_shares(2, true).in_turns;
  InTurns by_floor(1.01, 0.006);
  by_floor.run(800);
  EXPECT_LE(by_floor.count(Verdict::same), most_of(share * Policy().beta, 800));
  EXPECT_LE(by_floor.count(Verdict::regressed), most_of(share * 0.01, 800));
  EXPECT_EQ(by_floor.most_pairs(), 40U);
  InTurns not_at_all(1, 0.006);
  not_at_all.run(200);
  EXPECT_GE(not_at_all.count(Verdict::same), 194);
}

}  // namespace
}  // namespace warpgauge::ci
