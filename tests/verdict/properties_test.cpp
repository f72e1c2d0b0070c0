// SPDX-License-Identifier: Apache-2.0
// What must hold of the gate's verdicts whatever is measured, tried with random suites.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;

constexpr std::uint64_t kSeed = 20261121;
constexpr int kSuites = 400;

using Verdicts = std::map<std::string, std::vector<Verdict>>;  // time's and barriers', by id

Results side() {
  Results results;
  results.name = "side";
  results.session.emplace();
  results.session->device = h200();
  return results;
}

struct Sides {
  Results before = side();
  Results after = side();
};

class RandomSuites : public testing::Test {
 protected:
  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  std::vector<double> processes(double mean, double spread, int count) {
    std::normal_distribution<double> normal(mean, mean * spread);
    std::vector<double> figures;
    for (int i = 0; i < count; ++i) figures.push_back(normal(random_));
    return figures;
  }

  // Kernels of 1 to 100 µs, from steady to noisy ones, that differ by little more than the floor.
  Sides suite() {
    Sides sides;
    for (int i = between(1, 8); i > 0; --i) {
      const double mean = 1000 * std::pow(10, between(0.0, 2.0));
      const double spread = std::pow(10, between(-5.0, -1.5));
      const double change = between(0.92, 1.08);
      const std::string id = "a/b/" + std::to_string(i);
      for (auto [results, factor] : {std::pair(&sides.before, 1.0), {&sides.after, change}}) {
        BenchmarkResult& benchmark = results->benchmarks.emplace_back();
        benchmark.id = id;
        benchmark.metrics["time"].sessions = {processes(mean * factor, spread, between(2, 6))};
        benchmark.metrics["barriers"].sessions = {{static_cast<double>(between(1, 3))}};
      }
    }
    return sides;
  }

  std::mt19937_64 random_{kSeed};
};

Verdicts verdicts_of(const Results& before, const Results& after, const Policy& policy) {
  Verdicts verdicts;
  for (const BenchmarkVerdict& benchmark : compare(before, after, policy).benchmarks) {
    auto& of_benchmark = verdicts[benchmark.id];
    for (const char* name : {"time", "barriers"}) {
      for (const MetricVerdict& metric : benchmark.metrics) {
        if (metric.metric == name) of_benchmark.push_back(metric.verdict);
      }
    }
  }
  return verdicts;
}

Verdicts verdicts_of(const Sides& sides) {
  return verdicts_of(sides.before, sides.after, built_in_policy());
}

// What is not worse one way may be worse the other way, like what is inconclusive both ways.
Verdict mirrored(Verdict verdict) {
  return verdict == Verdict::regressed   ? Verdict::improved
         : verdict == Verdict::improved  ? Verdict::regressed
         : verdict == Verdict::not_worse ? Verdict::inconclusive
                                         : verdict;
}

bool opposite(Verdict a, Verdict b) {
  return (a == Verdict::regressed && b == Verdict::improved) ||
         (a == Verdict::improved && b == Verdict::regressed);
}

TEST_F(RandomSuites, ExchangingTheSidesMirrorsTheVerdicts) {
  std::map<Verdict, int> seen;
  for (int i = 0; i < kSuites; ++i) {
    const Sides sides = suite();
    const Verdicts exchanged = verdicts_of({sides.after, sides.before});
    for (const auto& [id, verdicts] : verdicts_of(sides)) {
      ++seen[verdicts.front()];
      for (std::size_t metric = 0; metric < verdicts.size(); ++metric) {
        const Verdict now = exchanged.at(id).at(metric);
        // Beside a clock more of a counter may pass; less of it is a gain all the same.
        const std::set<Verdict> both{now, verdicts[metric]};
        ASSERT_TRUE(now == mirrored(verdicts[metric]) || verdicts[metric] == mirrored(now) ||
                    both == std::set({Verdict::not_worse, Verdict::improved}))
            << "suite " << i << ": " << to_string(verdicts[metric]) << ", " << to_string(now);
      }
    }
  }
  for (const Verdict each : {Verdict::same, Verdict::not_worse, Verdict::regressed,
                             Verdict::improved, Verdict::inconclusive}) {
    EXPECT_GE(seen[each], 30) << to_string(each) << " was hardly tried";
  }
}

TEST_F(RandomSuites, AnotherUnitOfTimeChangesNothing) {
  for (int i = 0; i < kSuites; ++i) {
    Sides sides = suite();
    const Verdicts expected = verdicts_of(sides);
    const double unit = std::pow(10, between(-6.0, 6.0));
    Policy policy = built_in_policy();
    for (Policy::Named& named : policy.metrics) {
      named.rule.absolute_floor *= unit;
      named.rule.resolution *= unit;
    }
    for (Policy::Floor& floor : policy.floors) {
      floor.absolute_floor *= unit;
      floor.resolution *= unit;
    }
    for (Results* results : {&sides.before, &sides.after}) {
      for (BenchmarkResult& benchmark : results->benchmarks) {
        for (double& figure : benchmark.metrics["time"].sessions.front()) figure *= unit;
      }
    }
    ASSERT_EQ(verdicts_of(sides.before, sides.after, policy), expected) << "suite " << i;
  }
}

TEST_F(RandomSuites, TheOrderOfEntriesIsIrrelevant) {
  for (int i = 0; i < kSuites; ++i) {
    Sides sides = suite();
    const Verdicts expected = verdicts_of(sides);
    for (Results* results : {&sides.before, &sides.after}) {
      std::shuffle(results->benchmarks.begin(), results->benchmarks.end(), random_);
      for (BenchmarkResult& benchmark : results->benchmarks) {
        auto& figures = benchmark.metrics["time"].sessions.front();
        std::shuffle(figures.begin(), figures.end(), random_);
      }
    }
    ASSERT_EQ(verdicts_of(sides), expected) << "suite " << i;
  }
}

TEST_F(RandomSuites, MoreProcessesNeverTurnAVerdictIntoItsOpposite) {
  int clear = 0;
  for (int i = 0; i < kSuites; ++i) {
    const double mean = 1000 * std::pow(10, between(0.0, 2.0));
    const double spread = std::pow(10, between(-4.0, -1.5));
    const double change = between(0.85, 1.15);
    Sides sides;
    for (auto [results, factor] : {std::pair(&sides.before, 1.0), {&sides.after, change}}) {
      BenchmarkResult& benchmark = results->benchmarks.emplace_back();
      benchmark.id = "a/b/1";
      benchmark.metrics["time"].sessions = {processes(mean * factor, spread, 2)};
    }
    Verdict known = Verdict::inconclusive;
    for (int more = 0; more < 10; ++more) {
      const Verdict now = verdicts_of(sides).at("a/b/1").front();
      ASSERT_FALSE(opposite(known, now)) << "suite " << i << " with " << more << " more";
      if (now == Verdict::regressed || now == Verdict::improved) known = now;
      for (auto [results, factor] : {std::pair(&sides.before, 1.0), {&sides.after, change}}) {
        auto& figures = results->benchmarks.front().metrics["time"].sessions.front();
        figures.push_back(processes(mean * factor, spread, 1).front());
      }
    }
    if (known != Verdict::inconclusive) ++clear;
  }
  EXPECT_GE(clear, kSuites / 4);
}

}  // namespace
}  // namespace warpgauge::ci
