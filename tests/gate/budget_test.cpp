// SPDX-License-Identifier: Apache-2.0
// What comes after the first look takes no longer than the policy allows, and says so.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ci/gate/gate.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Ids = std::set<std::string>;

const std::string kOpen = "a/open/1";
const std::string kSlower = "a/slower/1";

// Time as this laboratory has it: it passes while processes run, and only then.
class Laboratory {
 public:
  milliseconds a_process{1000};
  bool slower = false;  // the new side's kSlower
  bool open = true;     // kOpen is too unsteady

  GateVerdict gate(seconds budget, int early = 0) {
    const Effort effort{.budget = budget, .early = early};
    Measuring measuring;
    measuring.has_clock = true;
    measuring.observe_all = [&] { time({kOpen, kSlower}, effort.at_once()); };
    measuring.time_again = [&](const Ids& ids, int processes) {
      rounds.emplace_back(ids, processes);
      time(ids, processes);
    };
    measuring.measured = [&] { return Sides{side(1), side(slower ? 1.1 : 1)}; };
    measuring.keep = [] {};
    measuring.now = [&] { return now_; };
    const Policy policy = built_in_policy();
    return measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
      return judge(measured, nullptr, policy, {.design = Design::interleaved});
    });
  }

  // Ids and how many processes, in turns after the first look.
  std::vector<std::pair<Ids, int>> rounds;

  [[nodiscard]] int processes_again(const std::string& id) const {
    int sum = 0;
    for (const auto& [ids, processes] : rounds) sum += ids.contains(id) ? processes : 0;
    return sum;
  }

 private:
  void time(const Ids& ids, int processes) {
    now_ += processes * a_process;
    for (const std::string& id : ids) timed_[id] += processes;
  }

  [[nodiscard]] results::Results side(double factor) const {
    std::vector<Measured> measured;
    for (const auto& [id, processes] : timed_) {
      std::vector<double> times;
      for (int i = 0; i < processes; ++i) {
        const double step = (i * 7 % 5 - 2) * (id == kOpen && open ? 3'000 : 50);
        times.push_back(100'000 * (id == kSlower ? factor : 1) + step);
      }
      measured.push_back({.id = id, .times_ns = std::move(times)});
    }
    return results_of(h200(), measured);
  }

  std::chrono::steady_clock::time_point now_;
  std::map<std::string, int> timed_;
};

const MetricVerdict& time_of(const GateVerdict& verdict, const std::string& id) {
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    if (each.id == id) return each.metrics.front();
  }
  throw std::logic_error("no " + id);
}

bool says_budget(const MetricVerdict& metric, int s) {
  return metric.reason.find("the budget of " + std::to_string(s) +
                            " s ended before all was measured: raise `budget`") !=
         std::string::npos;
}

TEST(Budget, WhatItIsEnoughForIsMeasured) {
  Laboratory laboratory;
  const GateVerdict verdict = laboratory.gate(seconds(5));
  EXPECT_EQ(laboratory.processes_again(kOpen), 5);
  EXPECT_EQ(time_of(verdict, kOpen).verdict, Verdict::inconclusive);
  EXPECT_FALSE(says_budget(time_of(verdict, kOpen), 5)) << time_of(verdict, kOpen).reason;
}

TEST(Budget, TheFirstProcessesTellHowManyMoreThereIsTimeFor) {
  Laboratory laboratory;
  const GateVerdict verdict = laboratory.gate(seconds(4));
  EXPECT_EQ(laboratory.processes_again(kOpen), 4);
  ASSERT_EQ(laboratory.rounds.size(), 2u);
  EXPECT_EQ(laboratory.rounds.front().second, 2) << "a pair that takes turns";
  EXPECT_EQ(time_of(verdict, kOpen).verdict, Verdict::inconclusive);
  EXPECT_TRUE(says_budget(time_of(verdict, kOpen), 4)) << time_of(verdict, kOpen).reason;
  EXPECT_EQ(time_of(verdict, kSlower).verdict, Verdict::same);
}

TEST(Budget, BeginsOnceAllOfTheFirstProcessesWereTimed) {
  Laboratory laboratory;
  (void)laboratory.gate(seconds(5), 3);
  EXPECT_EQ(laboratory.processes_again(kOpen), 2 + 5);
}

TEST(Budget, OfNoSecondsNothingIsMeasuredAgainThatIsUnclear) {
  Laboratory laboratory;
  const GateVerdict verdict = laboratory.gate(seconds(0));
  EXPECT_TRUE(laboratory.rounds.empty());
  EXPECT_TRUE(says_budget(time_of(verdict, kOpen), 0)) << time_of(verdict, kOpen).reason;
}

TEST(Budget, HidesNoRegression) {
  for (const int budget : {0, 5, 7}) {
    Laboratory laboratory;
    laboratory.slower = true;
    const GateVerdict verdict = laboratory.gate(seconds(budget));
    EXPECT_EQ(time_of(verdict, kSlower).verdict, Verdict::regressed) << budget;
    EXPECT_EQ(laboratory.processes_again(kSlower), 2) << budget;
    EXPECT_FALSE(says_budget(time_of(verdict, kSlower), budget)) << "it has its verdict";
  }
  Laboratory laboratory;
  laboratory.slower = true;
  EXPECT_EQ(time_of(laboratory.gate(seconds(10)), kSlower).verdict, Verdict::regressed);
  EXPECT_EQ(laboratory.processes_again(kSlower), 5);
}

TEST(Budget, ProcessesThatTakeNoTimeSpendNothing) {
  Laboratory laboratory;
  laboratory.a_process = milliseconds(0);
  laboratory.slower = true;
  (void)laboratory.gate(seconds(1));
  EXPECT_EQ(laboratory.processes_again(kOpen), 5);
  EXPECT_EQ(laboratory.processes_again(kSlower), 5);
}

}  // namespace
}  // namespace warpgauge::ci
