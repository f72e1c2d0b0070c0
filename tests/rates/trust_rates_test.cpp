// SPDX-License-Identifier: Apache-2.0
// Suites that a gate once judged wrongly, or that it may easily: machines that are slower as a
// whole, one slower benchmark of many, drift below the floor. Simulated, since the truth has to be
// known; printed are the figures of docs/explain/statistics.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/statistics/proportion.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr double kProcessScatter = 0.0015;  // by what share they differ, as a standard deviation
constexpr int kProcessesOfEach = 5;

Policy usual_policy() {
  return parse_policy(
      "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.007\n"
      "absolute_floor = 64.0\nresolution = 32.0\n"
      "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n",
      "usual.toml");
}

// Kernels of 20 to 119 µs of one code, measured on one GPU.
class Machine {
 public:
  Machine(int count, unsigned seed) : count_(count), random_(seed) {}

  double between_sessions = 0;  // a standard deviation, as a share

  Results baseline(int sessions) {
    Results results = session(0, [](int) { return 1.0; });
    results.is_baseline = true;
    for (int s = 1; s < sessions; ++s) {
      Results more = session(s, [](int) { return 1.0; });
      for (std::size_t b = 0; b < results.benchmarks.size(); ++b) {
        results::Metric& time = results.benchmarks[b].metrics.at(results::kTimeMetric);
        const results::Metric& other = more.benchmarks[b].metrics.at(results::kTimeMetric);
        time.sessions.push_back(other.sessions.front());
        time.labels.push_back(other.labels.front());
      }
    }
    return results;
  }

  // factor: of each benchmark's times. From the benchmark `changed` on all code is another.
  Results now(const std::function<double(int)>& factor, int changed) {
    Results results = session(9, factor);
    for (int b = changed; b < count_; ++b) {
      results.benchmarks[static_cast<std::size_t>(b)].machine_code = {kernel_code("kernel", 'b')};
    }
    return results;
  }

 private:
  Results session(int number, const std::function<double(int)>& factor) {
    Results results;
    results.name = "simulated";
    results.session.emplace();
    results.session->created = fmt::format("2026-11-21T0{}:00:00Z", number);
    results.session->device = h200();
    for (int b = 0; b < count_; ++b) {
      results::BenchmarkResult& benchmark = results.benchmarks.emplace_back();
      benchmark.id = fmt::format("a/kernel/{}", b);
      benchmark.machine_code = {kernel_code("kernel", 'a')};
      benchmark.input_digest = std::string(16, 'd');
      benchmark.launches = {{.kernel = "kernel", .arguments = std::string(16, 'a')}};
      benchmark.metrics["barriers"].sessions = {{1}};
      const double mean =
          (20'000 + 1'000 * (b % 100)) * factor(b) * (1 + between_sessions * normal_(random_));
      results::Metric& time = benchmark.metrics[results::kTimeMetric];
      time.labels = {results.session->created + " " + h200().uuid};
      for (int p = 0; p < kProcessesOfEach; ++p) {
        if (p == 0) time.sessions.emplace_back();
        time.sessions[0].push_back(mean * (1 + kProcessScatter * normal_(random_)));
      }
    }
    return results;
  }

  int count_;
  std::mt19937 random_;
  std::normal_distribution<> normal_;
};

// What gates say of the slower benchmarks and of the others.
struct Outcome {
  Proportion found;
  Proportion alarmed;  // gates that call something slower that is not
  Proportion open;     // of what is not slower

  void add(const GateVerdict& verdict, const std::set<std::string>& slower) {
    bool alarm = false;
    for (const BenchmarkVerdict& each : verdict.benchmarks) {
      const bool called = each.verdict == Verdict::regressed;
      if (slower.contains(each.id)) {
        found.add(called);
        continue;
      }
      alarm = alarm || called;
      open.add(each.verdict == Verdict::inconclusive);
    }
    alarmed.add(alarm);
  }
};

std::set<std::string> ids(int from, int to) {
  std::set<std::string> all;
  for (int b = from; b < to; ++b) all.insert(fmt::format("a/kernel/{}", b));
  return all;
}

TEST(TrustRates, AMachineThatIsSlowerAsAWholeHidesNoSlowdown) {
  const Policy policy = usual_policy();
  for (const double slowdown : {0.02, 0.05, 0.10}) {
    double without_shift = 0;
    for (const double shift : {0.0, 0.01, 0.02}) {
      Outcome outcome;
      for (unsigned trial = 0; trial < 40; ++trial) {
        Machine machine(60, trial + 1);
        const Results before = machine.baseline(1);
        const Results now =
            machine.now([&](int b) { return (1 + shift) * (b >= 55 ? 1 + slowdown : 1); }, 30);
        outcome.add(compare(before, now, policy), ids(55, 60));
      }
      fmt::print(
          "30 controls, all slower by {:.0f} %, five by {:.0f} % more: found {} of {}, others open "
          "{:.1f} %, alarms {} of {}\n",
          100 * shift, 100 * slowdown, outcome.found.hits, outcome.found.of,
          100 * outcome.open.share(), outcome.alarmed.hits, outcome.alarmed.of);
      if (shift == 0) without_shift = outcome.found.share();
      EXPECT_GE(outcome.found.share(), without_shift - 0.05);
      EXPECT_LE(outcome.open.share(), 0.05);
      EXPECT_EQ(outcome.alarmed.hits, 0U);
    }
  }
}

TEST(TrustRates, OneOfFiveHundredIsFound) {
  const Policy policy = usual_policy();
  for (const int sessions : {1, 3}) {
    Outcome outcome;
    for (unsigned trial = 0; trial < 40; ++trial) {
      Machine machine(500, trial + 1);
      machine.between_sessions = 0.002;
      const Results before = machine.baseline(sessions);
      const Results now = machine.now([](int b) { return b == 499 ? 1.03 : 1; }, 499);
      outcome.add(compare(before, now, policy), ids(499, 500));
    }
    fmt::print(
        "one of 500 slower by 3 %, {} sessions that differ by 0.2 %: found {} of {}, alarms {} of "
        "{}\n",
        sessions, outcome.found.hits, outcome.found.of, outcome.alarmed.hits, outcome.alarmed.of);
    EXPECT_GE(outcome.found.share(), 0.95);
    EXPECT_EQ(outcome.alarmed.hits, 0U);
  }
}

// All code is another, and no control excuses anything.
TEST(TrustRates, SidesThatDriftApartByLessThanTheFloorSeldomAlarm) {
  const Policy policy = usual_policy();
  for (const double drift : {0.0, 0.005, 0.007}) {
    Outcome outcome;
    for (unsigned trial = 0; trial < 1000; ++trial) {
      Machine machine(60, trial + 1);
      const Results before = machine.now([](int) { return 1.0; }, 60);
      const Results now = machine.now([&](int) { return 1 + drift; }, 0);
      outcome.add(compare(before, now, policy, {.design = Design::interleaved}), {});
    }
    fmt::print("60 benchmarks, sides {:.1f} % apart, floor 0.7 %: alarms {} of {}\n", 100 * drift,
               outcome.alarmed.hits, outcome.alarmed.of);
    EXPECT_LE(outcome.alarmed.hits, 10U + 9U);  // alpha is 1 %; three standard deviations more
  }
}

TEST(TrustRates, FiveHundredUnchangedBenchmarksOfOtherCodeSeldomAlarm) {
  const Policy policy = usual_policy();
  Outcome outcome;
  for (unsigned trial = 0; trial < 200; ++trial) {
    Machine machine(500, trial + 1);
    const Results before = machine.baseline(1);
    outcome.add(compare(before, machine.now([](int) { return 1.0; }, 0), policy), {});
  }
  fmt::print("500 benchmarks of other code, none slower: alarms {} of {}\n", outcome.alarmed.hits,
             outcome.alarmed.of);
  EXPECT_LE(outcome.alarmed.hits, 2U + 4U);
}

// A flag that costs all kernels 2 %, and one that costs half of them 3 % and gives the others as
// much.
TEST(TrustRates, WhatAChangeDoesToAllKernelsIsFound) {
  const Policy policy = usual_policy();
  Outcome together;
  Proportion named;
  Outcome halves;
  for (unsigned trial = 0; trial < 40; ++trial) {
    Machine machine(60, trial + 1);
    const Results before = machine.baseline(1);
    const GateVerdict all = compare(before, machine.now([](int) { return 1.02; }, 0), policy);
    together.add(all, ids(0, 60));
    named.add(std::any_of(all.notes.begin(), all.notes.end(), [](const std::string& note) {
      return note.find("together") != std::string::npos;
    }));
    halves.add(compare(before, machine.now([](int b) { return b < 30 ? 1.03 : 0.97; }, 0), policy),
               ids(0, 30));
  }
  fmt::print(
      "all of other code, slower by 2 %: found {:.1f} %; half by 3 %, half faster: found {:.1f} %, "
      "alarms {} of {}\n",
      100 * together.found.share(), 100 * halves.found.share(), halves.alarmed.hits,
      halves.alarmed.of);
  EXPECT_EQ(named.share(), 1);
  EXPECT_GE(halves.found.share(), 0.95);
  EXPECT_EQ(halves.alarmed.hits, 0U);
}

}  // namespace
}  // namespace warpgauge::ci
