// SPDX-License-Identifier: Apache-2.0
// What is promised of the gate, on what was recorded of the whole suite on H200s (see
// docs/explain/statistics.md). Drawn again in each trial, with the policy that goes
// with each set.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/policy/policy.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/exit_status.hpp"
#include "profiling/results/results.hpp"
#include "tests/system/gate/recorded_sessions.hpp"
#include "tests/tools/rates/competing_rules.hpp"

namespace warpgauge {
namespace {

using namespace ci;

std::size_t slowdown_of(double share) {
  const auto& all = slowdowns();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [share](double each) { return std::abs(each - share) < 1e-12; });
  return static_cast<std::size_t>(found - all.begin());
}

// Of kernels from this duration up, in the classes' order.
double found(const RuleRates& rule, double least_ns, double slowdown) {
  Proportion proportion;
  for (std::size_t i = 0; i < duration_classes().size(); ++i) {
    if (duration_classes()[i].least_ns >= least_ns) {
      proportion += rule.found.at(i).at(slowdown_of(slowdown));
    }
  }
  return proportion.share();
}

// The same as a proportion. usual_of: of kernels that have no floor of their own in this policy;
// null: of all.
Proportion all_found(const SettingRates& setting, const Policy* usual_of, double least_ns,
                     double slowdown) {
  const auto floor_of = [usual_of](const std::string& id) {
    return usual_of == nullptr ? 0 : usual_of->rule_for(id, results::kTimeMetric).relative_floor;
  };
  Proportion proportion;
  for (const BenchmarkRates& each : setting.benchmarks) {
    if (each.time_ns >= least_ns && floor_of(each.id) == floor_of("")) {
      proportion += each.found.at(slowdown_of(slowdown));
    }
  }
  return proportion;
}

double found_of_usual(const SettingRates& setting, const Policy& policy, double least_ns,
                      double slowdown) {
  return all_found(setting, &policy, least_ns, slowdown).share();
}

// Logarithms by which a session's times differ from the baseline's, and what of each the machine
// explains.
struct Deviation {
  double raw = 0;
  double machine = 0;
};
std::map<std::string, Deviation> deviations(const results::Results& baseline,
                                            const results::Results& session, const Policy& policy) {
  std::map<std::string, Deviation> found;
  for (const BenchmarkVerdict& each : compare(baseline, session, policy).benchmarks) {
    for (const MetricVerdict& metric : each.metrics) {
      if (metric.metric != results::kTimeMetric || !metric.evidence) continue;
      found[each.id] = {std::log(*metric.after), metric.evidence->machine_shift};
    }
  }
  return found;
}

double quantile(std::vector<double> figures, double share) {
  std::sort(figures.begin(), figures.end());
  return figures.at(static_cast<std::size_t>(share * static_cast<double>(figures.size() - 1)));
}

// By how much two sessions differ, over the benchmarks: as measured, or without what the machine
// explains.
struct Apart {
  std::vector<double> raw;
  std::vector<double> normalised;
};

Apart apart(const results::Results& baseline, const results::Results& first,
            const results::Results& second, const Policy& policy) {
  Apart all;
  const auto of_second = deviations(baseline, second, policy);
  for (const auto& [id, here] : deviations(baseline, first, policy)) {
    const auto there = of_second.find(id);
    if (there == of_second.end()) continue;
    const double raw = here.raw - there->second.raw;
    all.raw.push_back(std::abs(raw));
    all.normalised.push_back(std::abs(raw - here.machine + there->second.machine));
  }
  return all;
}

class RecordedGates : public testing::TestWithParam<RecordedSet> {
 protected:
  const RecordedSet set_ = GetParam();
  const Policy policy_ = policy_of(set_);
};

INSTANTIATE_TEST_SUITE_P(Sets, RecordedGates, testing::Values(kInOnePlace, kInManyPlaces),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(Recorded, WhatTwoDiesDifferByIsTakenOutWhereTheBaselineHasTheirLike) {
  const std::vector<results::Results> sessions = recorded_sessions();
  const Policy policy = policy_of(kInOnePlace);
  // Measured at the same time on two GPUs of one host.
  for (const auto& [one, other] : {std::pair(4, 6), {5, 7}, {8, 10}, {11, 12}}) {
    const results::Results& first = sessions.at(static_cast<std::size_t>(one - 1));
    const results::Results& second = sessions.at(static_cast<std::size_t>(other - 1));
    const auto is_of = [](const results::Results& each, const results::Results& of) {
      return each.session->device.uuid == of.session->device.uuid;
    };
    const Apart with_others = apart(
        baseline_of(sessions,
                    [&](const auto& each) { return is_of(each, first) || is_of(each, second); }),
        first, second, policy);
    const Apart with_their_own =
        apart(baseline_of(sessions,
                          [&](const auto& each) { return &each == &first || &each == &second; }),
              first, second, policy);
    ASSERT_GE(with_others.raw.size(), 100U);
    const auto shown = [&](double share) {
      return fmt::format("{:.2f} % | {:.2f} % | {:.2f} %", 100 * quantile(with_others.raw, share),
                         100 * quantile(with_others.normalised, share),
                         100 * quantile(with_their_own.normalised, share));
    };
    fmt::print("| {} and {} | {} | {} |\n", one, other, shown(0.5), shown(0.9));
    EXPECT_LE(quantile(with_their_own.normalised, 0.5), 0.0015);
    EXPECT_LE(quantile(with_their_own.normalised, 0.9), 0.006);
    if (one == 8) {  // dies of the two kinds that other hosts had as well
      EXPECT_LE(quantile(with_others.normalised, 0.5), quantile(with_others.raw, 0.5) / 4);
      EXPECT_LE(quantile(with_others.normalised, 0.9), quantile(with_others.raw, 0.9) / 4);
    }
  }
}

TEST(Recorded, TheGateIsAsSeldomWrongAsItIsSaidToBe) {
  const std::vector<results::Results> sessions = recorded_sessions(kInOnePlace);
  const Policy policy = policy_of(kInOnePlace);
  CalibrationOptions options;
  options.effort.processes = policy.processes;
  options.effort.most_processes = policy.most_processes;
  options.trials = 300;
  options.competing_rules = competing_rules();
  const Calibration calibration = calibrate(sessions, std::nullopt, policy, options);
  ASSERT_EQ(calibration.settings.size(), 2U);
  ASSERT_GE(calibration.fewest_processes * sessions.size(), 40U);
  for (const SettingRates& setting : calibration.settings) {
    const RuleRates& ours = setting.rules.at(0);
    const bool interleaved = setting.design == Design::interleaved;
    fmt::print(
        "{}: alarm in at most {:.2f} % of gates, {:.2f} % inconclusive; found 1 % from 30 µs "
        "{:.1f} %, 2 % from 30 µs {:.1f} %, 2 % from 5 µs {:.1f} %, 5 % from 2.5 µs {:.1f} %\n",
        interleaved ? "in turns" : "against a baseline", 100 * upper_limit(ours.gates_wrong),
        100 * ours.entries_open.share(), 100 * found(ours, 30000, 0.01),
        100 * found(ours, 30000, 0.02), 100 * found(ours, 5000, 0.02),
        100 * found(ours, 2500, 0.05));
    fmt::print("of kernels without a floor of their own: 1 % from 30 µs {:.1f} %, 2 % {:.1f} %\n",
               100 * found_of_usual(setting, policy, 30000, 0.01),
               100 * found_of_usual(setting, policy, 30000, 0.02));
    EXPECT_GE(found_of_usual(setting, policy, 30000, 0.01), interleaved ? 0.92 : 0.10);
    EXPECT_GE(found_of_usual(setting, policy, 30000, 0.02), interleaved ? 0.99 : 0.85);
    EXPECT_LE(ours.gates_wrong.share(), 0.01);
    EXPECT_LE(upper_limit(ours.gates_wrong), interleaved ? 0.01 : 0.02);
    EXPECT_LE(ours.entries_open.share(), 0.02);
    EXPECT_GE(found(ours, 30000, 0.01), interleaved ? 0.82 : 0.09);
    EXPECT_GE(found(ours, 30000, 0.02), interleaved ? 0.91 : 0.76);
    EXPECT_GE(found(ours, 5000, 0.02), interleaved ? 0.90 : 0.70);
    EXPECT_GE(found(ours, 2500, 0.05), interleaved ? 0.96 : 0.92);
    // Who looks at one process a side cries wolf in most gates: the data are no easy ones.
    if (interleaved) {
      EXPECT_GE(setting.rules.at(1).gates_wrong.share(), 0.3) << setting.rules[1].name;
    }
  }
}

// Of gates of a session against some of the others: how many call something slower that is not, and
// what they find of what is 5 % slower.
struct Outcome {
  Proportion alarms;
  std::set<int> alarmed;  // the trials with an alarm
  Proportion found;
};

// What of a suite is timed, and of it is still the baseline's code.
enum class Timed { what_changed, everything, all_code_changed };

constexpr double kSlower = 1.05;
constexpr std::size_t kTenth = 10;

void change_code(results::BenchmarkResult& benchmark) {
  for (results::KernelCode& code : benchmark.machine_code) code.sass_hash = "changed";
}

std::vector<std::string> gated(const results::Results& session, const Policy& policy) {
  std::vector<std::string> ids;
  for (const results::BenchmarkResult& each : session.benchmarks) {
    const bool timed = each.find(results::kTimeMetric) != nullptr;
    if (timed && policy.rule_for(each.id, results::kTimeMetric).gated()) ids.push_back(each.id);
  }
  return ids;
}

// As a gate leaves what it looks at first and times by its plan. A sentinel is off by up to 3 %.
results::Results by_plan(const results::Results& baseline, results::Results session,
                         const Policy& policy, std::mt19937_64& random) {
  std::uniform_real_distribution<double> off(0.97, 1.03);
  for (results::BenchmarkResult& each : session.benchmarks) {
    if (const auto time = each.figure(results::kTimeMetric)) each.sentinel_ns = *time * off(random);
  }
  results::Results seen = session;
  for (results::BenchmarkResult& each : seen.benchmarks) each.metrics.erase(results::kTimeMetric);
  const TimingPlan plan = timing_plan(&baseline, seen, policy, {});
  for (results::BenchmarkResult& each : session.benchmarks) {
    const auto left_out = plan.untimed.find(each.id);
    if (left_out == plan.untimed.end()) continue;
    each.metrics.erase(results::kTimeMetric);
    each.not_timed = left_out->second;
  }
  return session;
}

// Of the session another one: a tenth of it slower, and of it what a gate times.
results::Results slowed(const results::Results& baseline, results::Results session,
                        const Policy& policy, const std::vector<std::string>& order,
                        std::set<std::string>& slower, Timed timed, std::mt19937_64& random) {
  const std::size_t tenth = (order.size() + kTenth - 1) / kTenth;
  slower = {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(tenth)};
  const std::set<std::string> changed(order.begin(),
                                      order.begin() + static_cast<std::ptrdiff_t>(2 * tenth));
  for (results::BenchmarkResult& each : session.benchmarks) {
    if (timed == Timed::all_code_changed || changed.contains(each.id)) change_code(each);
    if (!slower.contains(each.id)) continue;
    for (double& figure : each.metrics.at(results::kTimeMetric).sessions[0]) figure *= kSlower;
  }
  if (timed != Timed::what_changed) return session;
  return by_plan(baseline, std::move(session), policy, random);
}

Outcome outcome_of(const std::vector<results::Results>& sessions, std::size_t approved,
                   const Policy& policy, Timed timed, int trials) {
  Outcome outcome;
  for (int trial = 0; trial < trials; ++trial) {
    // Of a trial the same session and the same changes, whatever was approved.
    std::mt19937_64 random(static_cast<std::uint64_t>(trial));
    const auto [target, baseline] = draw(sessions, approved, random);
    std::vector<std::string> ids = gated(target, policy);
    std::erase_if(ids, [&baseline = baseline](const std::string& id) {
      return baseline.find(id) == nullptr;
    });
    std::shuffle(ids.begin(), ids.end(), random);
    std::set<std::string> slower;
    const results::Results now = slowed(baseline, target, policy, ids, slower, timed, random);
    bool alarmed = false;
    for (const BenchmarkVerdict& each : compare(baseline, now, policy).benchmarks) {
      for (const MetricVerdict& metric : each.metrics) {
        if (metric.metric != results::kTimeMetric) continue;
        const bool called = metric.verdict == Verdict::regressed;
        if (slower.contains(each.id)) {
          outcome.found.add(called);
        } else {
          alarmed = alarmed || called;
        }
      }
    }
    outcome.alarms.add(alarmed);
    if (alarmed) outcome.alarmed.insert(trial);
  }
  return outcome;
}

TEST_P(RecordedGates, FindNoLessForMoreApprovedSessions) {
  const std::vector<results::Results> sessions = told_sessions(set_);
  const Policy& policy = policy_;
  constexpr int kTrials = 96;
  constexpr double kByChance = 0.02;
  const char* const names[] = {"what changed is timed", "everything is timed", "all code changed"};
  for (const Timed timed : {Timed::what_changed, Timed::everything, Timed::all_code_changed}) {
    const char* const name = names[static_cast<std::size_t>(timed)];
    double before = 0;
    Proportion alarms;
    std::set<int> alarmed;
    for (std::size_t approved = 1; approved < sessions.size(); ++approved) {
      Outcome outcome = outcome_of(sessions, approved, policy, timed, kTrials);
      fmt::print("{}, {} approved: 5 % found {:.1f} %, alarms {} of {}\n", name, approved,
                 100 * outcome.found.share(), outcome.alarms.hits, outcome.alarms.of);
      alarms += outcome.alarms;
      alarmed.merge(outcome.alarmed);
      // Without controls, one session of the same GPU says more than two of which one is of
      // another.
      if (timed == Timed::all_code_changed && approved == 1) continue;
      // Nine sessions find 3 % more than ten, by chance: the next ones count again.
      if (approved == 9) continue;
      EXPECT_GE(outcome.found.share(), before - kByChance) << name << ", " << approved;
      before = std::max(before, outcome.found.share());
    }
    // Without controls nothing tells machines apart. With them it is one trial at most: a trial is
    // of one session, of which four sessions to compare with and five may say the same.
    if (timed == Timed::all_code_changed) {
      EXPECT_LE(alarms.share(), 0.01) << name;
    } else {
      EXPECT_LE(alarmed.size(), 1U) << name;
    }
  }
}

// As it is shipped, and where the same code is no evidence, at the first look. What a gate measures
// after that is in recorded_turns_test.cpp.
TEST_P(RecordedGates, PassUnchangedCode) {
  const std::vector<results::Results> sessions = told_sessions(set_);
  constexpr int kGatesOfEach = 8;
  for (const bool as_changed : {false, true}) {
    const char* const name = as_changed ? "treated as changed" : "as shipped";
    BySession all(sessions.size());
    for (const std::size_t approved : numbers_approved(sessions.size())) {
      std::mt19937_64 random(approved);
      BySession here(sessions.size());
      Proportion open;
      for (std::size_t gate = 0; gate < kGatesOfEach * sessions.size(); ++gate) {
        const std::size_t s = gate % sessions.size();
        const auto [target, baseline] = draw_for(sessions, s, approved, random);
        const GateVerdict verdict =
            as_changed ? compare(baseline, target, policy_, {.treat_as_changed = true})
                       : compare(baseline, by_plan(baseline, target, policy_, random), policy_);
        here.passed[s].add(verdict.exit_status == 0);
        here.alarmed.add(verdict.count(Verdict::regressed) > 0);
        for (const BenchmarkVerdict& each : verdict.benchmarks) {
          open.add(each.verdict == Verdict::inconclusive);
        }
      }
      fmt::print("{}, {} approved: exit 0 in {:.1f} % of gates, {:.2f} % of benchmarks open\n",
                 name, approved, 100 * here.share(), 100 * open.share());
      all += here;
    }
    fmt::print(
        "{}: exit 0 in {:.2f} %, alarms {} of {}; some gate did not pass in {} of {} sessions, at "
        "most "
        "{:.1f} % (95 %, one-sided)\n",
        name, 100 * all.share(), all.alarmed.hits, all.alarmed.of, all.failing().hits,
        all.failing().of, 100 * upper_limit(all.failing()));
    // Without controls and in five processes, some benchmark is open in nearly every gate.
    if (!as_changed) {
      EXPECT_GE(all.share(), 0.999);
    }
    EXPECT_LE(all.alarmed.share(), 0.001);
  }
}

// What a slowdown of so many floors comes to, in a gate that times what changed beside controls.
TEST_P(RecordedGates, SeldomPassASlowdownOfTwoFloors) {
  const std::vector<results::Results> sessions = recorded_sessions(set_);
  const Policy& policy = policy_;
  constexpr int kTrials = 48;
  for (const std::size_t approved : {std::size_t{1}, std::size_t{4}, sessions.size() - 1}) {
    double most = 1;
    for (const double floors : {1.0, 1.5, 2.0}) {
      std::mt19937_64 random(approved);
      Proportion passes;
      Proportion called;
      for (int trial = 0; trial < kTrials; ++trial) {
        auto [target, baseline] = draw(sessions, approved, random);
        std::vector<std::string> ids = gated(target, policy);
        std::shuffle(ids.begin(), ids.end(), random);
        const std::set<std::string> slower(
            ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(ids.size() / kTenth));
        results::Results now = target;
        for (results::BenchmarkResult& each : now.benchmarks) {
          if (!slower.contains(each.id)) continue;
          change_code(each);
          const Rule rule = policy.rule_for(each.id, results::kTimeMetric);
          auto& figures = each.metrics.at(results::kTimeMetric).sessions[0];
          const double floor = std::max(rule.relative_floor, rule.absolute_floor / figures[0]);
          for (double& figure : figures) figure *= 1 + floors * floor;
        }
        for (const BenchmarkVerdict& each : compare(baseline, now, policy).benchmarks) {
          if (!slower.contains(each.id)) continue;
          passes.add(exit_status(each.verdict) == 0);
          called.add(each.verdict == Verdict::regressed);
        }
      }
      fmt::print("{} approved, slower by {:.1f} floors: {:.1f} % pass, {:.1f} % are regressed\n",
                 approved, floors, 100 * passes.share(), 100 * called.share());
      EXPECT_LE(passes.share(), most);
      most = passes.share();
    }
    EXPECT_LE(most, 0.05) << "of two floors, " << approved << " approved";
  }
}

// Sessions of GPUs that differ from each other, in any order.
std::vector<results::Results> of_other_gpus(const std::vector<results::Results>& sessions,
                                            std::size_t count, std::mt19937_64& random) {
  std::vector<results::Results> chosen;
  std::set<std::string> gpus;
  for (const std::size_t s : shuffled(sessions.size(), random)) {
    if (chosen.size() < count && gpus.insert(sessions[s].session->device.uuid).second) {
      chosen.push_back(sessions[s]);
    }
  }
  return chosen;
}

// Each of seven sessions against the six others, a tenth of the code changed.
TEST(Recorded, OnAGpuThatSixApprovedSessionsHaveNotSeen) {
  constexpr int kSubsets = 4;
  constexpr std::size_t kSessions = 7;
  const std::vector<results::Results> sessions = recorded_sessions(kInManyPlaces);
  const Policy policy = policy_of(kInManyPlaces);
  CalibrationOptions options;
  options.effort.processes = policy.processes;
  options.effort.most_processes = policy.most_processes;
  options.trials = 8;
  std::map<std::pair<double, double>, Proportion> found_at;  // by duration and slowdown
  std::map<std::pair<double, double>, Proportion> usual_at;
  Proportion alarms;
  Proportion open;
  std::mt19937_64 random(1);
  for (int subset = 0; subset < kSubsets; ++subset) {
    const auto chosen = of_other_gpus(sessions, kSessions, random);
    ASSERT_EQ(chosen.size(), kSessions);
    options.seed = static_cast<std::uint64_t>(subset) + 1;
    const SettingRates setting = calibrate(chosen, std::nullopt, policy, options).settings.at(1);
    ASSERT_EQ(setting.design, Design::apart);
    alarms += setting.rules.at(0).gates_wrong;
    open += setting.rules.at(0).entries_open;
    for (const double least : {30'000.0, 5'000.0}) {
      for (const double slowdown : {0.01, 0.02, 0.05}) {
        found_at[{least, slowdown}] += all_found(setting, nullptr, least, slowdown);
        usual_at[{least, slowdown}] += all_found(setting, &policy, least, slowdown);
      }
    }
  }
  for (const auto& [at, proportion] : found_at) {
    fmt::print(
        "from {:.0f} µs, slower by {:.0f} %: found {:.1f} % (≥ {:.1f} %), with the usual floor "
        "{:.1f} %\n",
        at.first / 1000, 100 * at.second, 100 * proportion.share(), 100 * lower_limit(proportion),
        100 * usual_at[at].share());
  }
  fmt::print("alarms {} of {}, open {:.2f} %\n", alarms.hits, alarms.of, 100 * open.share());
  EXPECT_EQ(alarms.hits, 0U);
  EXPECT_LE(open.share(), 0.05);
  EXPECT_GE((found_at[{30'000.0, 0.02}].share()), 0.72);
  EXPECT_GE((found_at[{5'000.0, 0.02}].share()), 0.62);
  EXPECT_GE((found_at[{5'000.0, 0.05}].share()), 0.96);
}

}  // namespace
}  // namespace warpgauge
