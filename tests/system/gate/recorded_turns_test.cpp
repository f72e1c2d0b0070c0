// SPDX-License-Identifier: Apache-2.0
// All that a gate measures after its first look, on what was recorded: more processes, a second
// measurement of what looks slower, and turns with a build of what was approved, where the same
// code is no evidence (`gate --treat-as-changed --against-prebuilt`).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>

#include "ci/gate/gate.hpp"
#include "ci/policy/policy.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/statistics/proportion.hpp"
#include "ci/verdict/exit_status.hpp"
#include "tests/system/gate/recorded_sessions.hpp"

namespace warpgauge {
namespace {

using namespace ci;

// Of a process of a benchmark on an H200, on the average, and of one of no benchmark.
constexpr double kSecondsOfEach = 22.5 / 200;
constexpr double kSecondsOfMore = 38.2 / 200;  // in turns, of no more than so many
constexpr double kFew = 50;
constexpr double kSecondsOfNone = 0.5;

// A session as any number of processes: its own, drawn again, each with a deviation beside, so that
// no two are alike. Half of the variance that so few lead to expect is of what was recorded, which
// benchmarks have in common.
class Machine {
 public:
  Machine(const results::Results& session, std::mt19937_64& random)
      : session_(session), random_(random) {}

  [[nodiscard]] results::Results nothing_timed() const {
    results::Results results = session_;
    for (results::BenchmarkResult& each : results.benchmarks) {
      const auto time = each.metrics.find(results::kTimeMetric);
      if (time != each.metrics.end()) time->second.sessions.assign(1, {});
    }
    return results;
  }

  // Empty ids: of all benchmarks. slower: factors. Returns the seconds that it takes.
  double time(results::Results& results, const std::set<std::string>& ids, int processes,
              const std::map<std::string, double>& slower, bool in_turns = false) {
    for (int i = 0; i < processes; ++i) {
      const std::size_t process = random_();
      for (std::size_t b = 0; b < results.benchmarks.size(); ++b) {
        results::BenchmarkResult& each = results.benchmarks[b];
        const results::Metric* const time = session_.benchmarks[b].find(results::kTimeMetric);
        if (time == nullptr || (!ids.empty() && !ids.contains(each.id))) continue;
        const std::vector<double>& figures = time->sessions.at(0);
        const auto count = static_cast<double>(figures.size());
        const double mean = mean_of(figures);
        double squares = 0;
        for (const double each_figure : figures) squares += std::pow(each_figure - mean, 2);
        const double recorded =
            (figures[process % figures.size()] - mean) * std::sqrt(count / (count - 1));
        const double beside = std::sqrt(squares / (count - 1)) * normal_(random_);
        const double figure = mean + (recorded + beside) / std::sqrt(2);
        const auto factor = slower.find(each.id);
        each.metrics.at(results::kTimeMetric)
            .sessions[0]
            .push_back(figure * (factor == slower.end() ? 1 : factor->second));
      }
    }
    const auto timed = static_cast<double>(ids.empty() ? session_.benchmarks.size() : ids.size());
    const double of_each = in_turns && timed <= kFew ? kSecondsOfMore : kSecondsOfEach;
    return processes * (kSecondsOfNone + of_each * timed);
  }

 private:
  const results::Results& session_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_;
};

struct Gate {
  const results::Results& baseline;
  const results::Results& session;
  std::map<std::string, double> slower = {};
  std::chrono::seconds budget;
};

GateVerdict run(const Gate& gate, const Policy& policy, std::mt19937_64& random) {
  Machine machine(gate.session, random);
  results::Results now = machine.nothing_timed();
  results::Results approved = now;
  results::Results beside = now;
  for (results::Results* side : {&now, &beside}) {
    for (results::BenchmarkResult& each : side->benchmarks) {
      if (!gate.slower.contains(each.id)) continue;
      for (results::KernelCode& code : each.machine_code) code.sass_hash = "changed";
    }
  }
  double seconds = 0;
  Measuring measuring;
  measuring.has_clock = true;
  measuring.observe_all = [&] { seconds += machine.time(now, {}, policy.processes, gate.slower); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    seconds += machine.time(now, ids, processes, gate.slower);
  };
  measuring.take_turns = [&] {
    return TurnTaking{"what was approved",
                      [&](const std::set<std::string>& ids, int pairs) {
                        seconds += machine.time(approved, ids, pairs, {}, true);
                        seconds += machine.time(beside, ids, pairs, gate.slower, true);
                      },
                      [&] {
                        return Sides{approved, beside};
                      }};
  };
  measuring.measured = [&] { return Sides{std::nullopt, now}; };
  measuring.keep = [] {};
  measuring.now = [&] {
    return std::chrono::steady_clock::time_point() +
           std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
  };
  const Effort effort{policy.processes, policy.most_processes, gate.budget};
  return measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    return judge(measured, &gate.baseline, policy, {.treat_as_changed = true});
  });
}

BySession unchanged(const std::vector<results::Results>& sessions, std::size_t approved,
                    std::chrono::seconds budget, int gates_of_each, const Policy& policy,
                    std::map<std::string, int>& open) {
  BySession result(sessions.size());
  std::mt19937_64 random(approved);
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    for (int gate = 0; gate < gates_of_each; ++gate) {
      const Drawn drawn = draw_for(sessions, s, approved, random);
      const GateVerdict verdict = run(
          {.baseline = drawn.baseline, .session = drawn.target, .budget = budget}, policy, random);
      result.passed[s].add(verdict.exit_status == 0);
      result.alarmed.add(verdict.count(Verdict::regressed) > 0);
      for (const BenchmarkVerdict& each : verdict.benchmarks) {
        if (each.verdict == Verdict::inconclusive) ++open[each.id];
      }
    }
  }
  return result;
}

constexpr std::chrono::seconds kTenMinutes{600};

class RecordedTurns : public testing::TestWithParam<RecordedSet> {};

INSTANTIATE_TEST_SUITE_P(Sets, RecordedTurns, testing::Values(kInOnePlace, kAllMove),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(RecordedTurns, UnchangedCodePassesThoughItIsTreatedAsChanged) {
  const std::vector<results::Results> sessions = told_sessions(GetParam());
  const Policy policy = policy_of(GetParam());
  for (const std::chrono::seconds budget : {kTenMinutes, std::chrono::seconds(policy.budget_s)}) {
    const int gates_of_each = budget == kTenMinutes ? 8 : 2;
    BySession all(sessions.size());
    std::map<std::string, int> open;
    for (const std::size_t approved : numbers_approved(sessions.size())) {
      const BySession of = unchanged(sessions, approved, budget, gates_of_each, policy, open);
      fmt::print("budget {} s, {} approved: exit 0 in {:.1f} % of gates\n", budget.count(),
                 approved, 100 * of.share());
      all += of;
    }
    fmt::print(
        "budget {} s: exit 0 in {:.2f} %, at least {:.2f} % by {} sessions; alarms {} of {}\n",
        budget.count(), 100 * all.share(), 100 * all.lower_limit(), sessions.size(),
        all.alarmed.hits, all.alarmed.of);
    for (const auto& [id, gates] : open) fmt::print("  open in {} gates: {}\n", gates, id);
    EXPECT_EQ(all.alarmed.hits, 0);
    if (budget == kTenMinutes) {
      EXPECT_GE(all.share(), 0.95);
      EXPECT_GE(all.lower_limit(), 0.945);
    }
  }
}

TEST_P(RecordedTurns, FindWhatTheBaselineLeavesOpen) {
  const std::vector<results::Results> sessions = told_sessions(GetParam());
  const Policy policy = policy_of(GetParam());
  for (const double floors : {1.0, 1.5, 2.0}) {
    Proportion passes;
    Proportion found;
    Proportion alarmed;
    for (const std::size_t approved : {std::size_t{1}, std::size_t{4}, sessions.size() - 1}) {
      std::mt19937_64 random(approved);
      for (std::size_t s = 0; s < sessions.size(); ++s) {
        const Drawn drawn = draw_for(sessions, s, approved, random);
        Gate gate{.baseline = drawn.baseline, .session = drawn.target, .budget = kTenMinutes};
        for (const results::BenchmarkResult& each : drawn.target.benchmarks) {
          const auto time = each.figure(results::kTimeMetric);
          const Rule rule = policy.rule_for(each.id, results::kTimeMetric);
          if (!time || !rule.gated() || random() % 10 != 0) continue;
          gate.slower[each.id] =
              1 + floors * std::max(rule.relative_floor, rule.absolute_floor / *time);
        }
        bool alarm = false;
        for (const BenchmarkVerdict& each : run(gate, policy, random).benchmarks) {
          const bool called = each.verdict == Verdict::regressed;
          if (gate.slower.contains(each.id)) {
            found.add(called);
            passes.add(exit_status(each.verdict) == 0);
          } else {
            alarm = alarm || called;
          }
        }
        alarmed.add(alarm);
      }
    }
    fmt::print("in turns, slower by {} floors: {:.1f} % found, {:.1f} % pass; alarms {} of {}\n",
               floors, 100 * found.share(), 100 * passes.share(), alarmed.hits, alarmed.of);
    EXPECT_EQ(alarmed.hits, 0);
    // In one place those of more than one floor are of one gate, whose only approved session is of
    // a slower GPU.
    EXPECT_LE(passes.share(), floors > 1 ? 0.02 : 0.05);
    EXPECT_GE(found.share(), floors > 1.5 ? 0.98 : floors > 1 ? 0.75 : 0.3);
  }
}

}  // namespace
}  // namespace warpgauge
