// SPDX-License-Identifier: Apache-2.0
// What is promised of anchors, on recorded sessions: changes of +0.5 % each, which a gate against
// the baseline lets pass, are red since their anchor by the fifth night, and what stays as it is
// never is. Printed: the figures of docs/explain/anchors.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/calibrate/simulation.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"
#include "tests/system/gate/recorded_sessions.hpp"

namespace warpgauge::ci {
namespace {

constexpr double kStep = 0.005;
constexpr int kNights = 10;
constexpr double kLong = 30'000;  // ns
constexpr std::size_t kTenth = 10;

using results::Results;

class Creep : public testing::TestWithParam<RecordedSet> {
 protected:
  const std::vector<Results> sessions_ = recorded_sessions(GetParam());
  const Policy policy_ = policy_of(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Sets, Creep, testing::Values(kInOnePlace, kInManyPlaces),
                         [](const auto& each) { return std::string(each.param.name); });

Calibration about(const Policy& policy) {
  Calibration about;
  about.options.effort = {policy.processes, policy.most_processes};
  about.with_replacement = true;
  return about;
}

std::set<std::string> shuffled_tenth(std::vector<std::string> ids, Random& random) {
  for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random() % i]);
  ids.resize((ids.size() + kTenth - 1) / kTenth);
  return {ids.begin(), ids.end()};
}

// The session as all of its code were another, and these benchmarks slower.
Results later(Results session, const std::set<std::string>& slower, double ratio) {
  for (results::BenchmarkResult& each : session.benchmarks) {
    for (results::KernelCode& code : each.machine_code) code.sass_hash = "changed";
    const auto time = each.metrics.find(results::kTimeMetric);
    if (!slower.contains(each.id) || time == each.metrics.end()) continue;
    for (double& figure : time->second.sessions[0]) figure *= ratio;
  }
  return session;
}

// Which benchmarks a night's gate since the anchor calls regressed.
std::set<std::string> red_since(const Results& anchor, const Results& now, const Policy& policy,
                                Random& random) {
  const Recording recording = recording_of({anchor}, now, policy);
  const Calibration calibration = about(policy);
  const Simulation simulation(recording, policy, calibration);
  const RuleVerdicts verdicts =
      simulation
          .gate_pair(Design::interleaved, recording.sessions[0], *recording.slowed, {}, random)
          .front();
  std::set<std::string> red;
  for (std::size_t i = 0; i < recording.ids.size(); ++i) {
    if (verdicts.slower[i]) red.insert(recording.ids[i]);
  }
  return red;
}

TEST_P(Creep, OfChangesThatPassIsRedByTheFifthNight) {
  const Policy of_creep = with_creep_limit(policy_, results::kTimeMetric);
  constexpr int kTrials = 60;
  std::vector<Proportion> gates(kNights), all(kNights), usual(kNights), others(kNights);
  Random random(1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const Results& anchor = sessions_[static_cast<std::size_t>(trial) % sessions_.size()];
    const Recording recording = recording_of({anchor}, std::nullopt, of_creep);
    const std::set<std::string> slower = shuffled_tenth(recording.ids, random);
    std::set<std::string> red;  // by now
    std::set<std::string> wrong;
    for (int night = 0; night < kNights; ++night) {
      const Results now = later(anchor, slower, std::pow(1 + kStep, night + 1));
      for (const std::string& id : red_since(anchor, now, of_creep, random)) {
        (slower.contains(id) ? red : wrong).insert(id);
      }
      const auto at = static_cast<std::size_t>(night);
      gates[at].add(!red.empty());
      others[at].add(!wrong.empty());
      for (std::size_t i = 0; i < recording.ids.size(); ++i) {
        const std::string& id = recording.ids[i];
        if (!slower.contains(id)) continue;
        const double floor =
            of_creep.rule_for(id, results::kTimeMetric, {.design = Design::interleaved})
                .relative_floor;
        all[at].add(red.contains(id));
        if (recording.time_ns[i] >= kLong && floor == of_creep.creep_limit) {
          usual[at].add(red.contains(id));
        }
      }
    }
  }
  for (std::size_t night = 0; night < gates.size(); ++night) {
    fmt::print("| {} | {:+.2f} % | {:.0f} % | {:.1f} % | {:.1f} % | {} of {} |\n", night + 1,
               100 * (std::pow(1 + kStep, static_cast<double>(night + 1)) - 1),
               100 * gates[night].share(), 100 * usual[night].share(), 100 * all[night].share(),
               others[night].hits, others[night].of);
  }
  EXPECT_EQ(gates[2].hits, 0U) << "+1.5 % is within the limit";
  EXPECT_EQ(gates[4].hits, gates[4].of) << "red by the fifth night";
  EXPECT_GE(usual[4].share(), 0.8);
  EXPECT_GE(usual[5].share(), 0.95);
  EXPECT_EQ(others.back().hits, 0U) << "what does not creep is never red";
}

// In turns only what repeats well has a floor below such a step.
TEST_P(Creep, IsSeenByTheOrdinaryGateInTurnsAlone) {
  const Recording recording = recording_of(sessions_, std::nullopt, policy_);
  const Calibration calibration = about(policy_);
  const Simulation simulation(recording, policy_, calibration);
  ASSERT_EQ(slowdowns().front(), kStep);
  for (const Design design : {Design::apart, Design::interleaved}) {
    Proportion gates;
    Random random(2);
    for (std::size_t trial = 0; trial < 120; ++trial) {
      Injected changed = inject(recording, trial, random);
      for (auto& [benchmark, slowdown] : changed) slowdown = 0;
      const RuleVerdicts verdicts = simulation.gate({design}, changed, random).front();
      gates.add(std::find(verdicts.slower.begin(), verdicts.slower.end(), true) !=
                verdicts.slower.end());
    }
    fmt::print("{}: a tenth of the suite {:+.1f} %: {} of {} gates red\n",
               design == Design::apart ? "against the baseline" : "in turns with the commit before",
               100 * kStep, gates.hits, gates.of);
    const auto& steady =
        policy_
            .rule_for(recording.ids.front(), results::kTimeMetric, {.design = Design::interleaved})
            .steady;
    if (design == Design::interleaved && steady && steady->relative_floor < kStep) {
      EXPECT_GE(gates.share(), 0.95);
    } else {
      EXPECT_LE(gates.share(), 0.05);
    }
  }
}

TEST_P(Creep, IsNotSeenWhereNothingChanged) {
  const Policy of_creep = with_creep_limit(policy_, results::kTimeMetric);
  Proportion gates;
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Results& anchor = sessions_[static_cast<std::size_t>(trial) % sessions_.size()];
    gates.add(!red_since(anchor, later(anchor, {}, 1), of_creep, random).empty());
  }
  fmt::print("nothing slower: {} of {} nights red\n", gates.hits, gates.of);
  EXPECT_EQ(gates.hits, 0U);
}

}  // namespace
}  // namespace warpgauge::ci
