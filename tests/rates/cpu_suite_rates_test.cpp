// SPDX-License-Identifier: Apache-2.0
// How often a suite on a CPU whose cores are shared with neighbours gets no verdict, or a wrong
// one, by the policy that `warpgauge policy show cpu` prints and the script that `warpgauge init`
// writes: twenty processes against a baseline, then 20, 40, 80 or 160 in turns with what was
// approved. Simulated as it was seen on two virtual machines: for a few processes at a time a core
// is shared, and then benchmarks take 10 to 50 % more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/profiles.hpp"
#include "ci/statistics/looks.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/exit_status.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr int kGates = 200;
constexpr int kBenchmarks = 7;
constexpr int kLooks = 4;  // in turns, and one against the baseline
constexpr int kCpuProcesses = 20;
constexpr double kPlanted = 0.24;

struct CpuMachine {
  const char* name;
  double shared;          // of the time a core is shared
  double stays = 2;       // processes that meet it shared, one after the other
  double fast = 0.025;    // what processes differ by where it is not
  double session = 0.01;  // what benchmarks differ by from session to session
};

void PrintTo(const CpuMachine& machine, std::ostream* stream) { *stream << machine.name; }

// One after the other, or in turns with another one.
class Processor {
 public:
  Processor(const CpuMachine& machine, unsigned seed) : machine_(machine), random_(seed) {
    for (double& each : slow_) each = 0.1 + 0.4 * uniform_(random_);
  }

  std::vector<double> begin_session() {
    std::vector<double> place(kBenchmarks);
    for (double& each : place) each = std::exp(machine_.session * normal_(random_));
    return place;
  }

  // place: of each benchmark in this session. slower: by which share the first one is.
  void run(const std::vector<double>& place, double slower, Results& side) {
    // A Markov chain: as often shared as it should be, and for as long.
    const double leave = 1 / machine_.stays;
    const double enter = leave * machine_.shared / (1 - machine_.shared);
    shared_ = uniform_(random_) < (shared_ ? 1 - leave : enter);
    for (int b = 0; b < kBenchmarks; ++b) {
      double time = 1'000.0 * (b + 1) * place[b] * std::exp(machine_.fast * normal_(random_));
      // Not each benchmark of a process meets it.
      if (shared_ && uniform_(random_) < 0.9)
        time *= 1 + slow_[b] * (0.7 + 0.3 * uniform_(random_));
      if (b == 0) time *= 1 + slower;
      side.benchmarks[b].metrics["time"].sessions.back().push_back(time);
    }
  }

 private:
  const CpuMachine& machine_;
  std::mt19937 random_;
  std::normal_distribution<> normal_;
  std::uniform_real_distribution<> uniform_;
  double slow_[kBenchmarks];
  bool shared_ = false;
};

Results side_of(const char* name) {
  Results side;
  side.name = name;
  side.session.emplace();
  side.session->created = "2026-11-21T04:00:00Z";
  side.session->device.kind = results::DeviceKind::cpu;
  side.session->device.name = side.session->device.key = "processor";
  side.session->imported = {"Google Benchmark", false, false, true, true};
  for (int b = 0; b < kBenchmarks; ++b) {
    side.benchmarks.emplace_back().id = fmt::format("BM_{}/8", b);
  }
  return side;
}

void add_session(Results& side) {
  for (results::BenchmarkResult& each : side.benchmarks) {
    results::Metric& time = each.metrics["time"];
    time.sessions.emplace_back();
    time.labels.push_back(fmt::format("session {}", time.sessions.size()));
  }
}

Policy cpu_policy() {
  Policy policy = parse_policy(policy_profile("cpu").text, "cpu");
  const LookShares shares = look_shares(kLooks + 1, false);
  policy.alpha *= shares.of_each;
  policy.beta *= shares.beta_of_each;
  return policy;
}

// As the script does: against a baseline of three sessions first, and where that is not green, in
// turns with what was approved.
class Gate {
 public:
  Gate(const CpuMachine& machine, double slower, unsigned seed)
      : processor_(machine, seed), slower_(slower) {}

  GateVerdict against_baseline() {
    Results baseline = side_of("baseline");
    for (int session = 0; session < 3; ++session) {
      add_session(baseline);
      const std::vector<double> place = processor_.begin_session();
      for (int i = 0; i < kCpuProcesses; ++i) processor_.run(place, 0, baseline);
    }
    baseline.is_baseline = true;
    Results after = side_of("after");
    add_session(after);
    const std::vector<double> place = processor_.begin_session();
    for (int i = 0; i < kCpuProcesses; ++i) processor_.run(place, slower_, after);
    return judged(baseline, after, Design::apart);
  }

  GateVerdict in_turns() {
    Results before = side_of("before");
    Results after = side_of("after");
    add_session(before);
    add_session(after);
    const std::vector<double> place = processor_.begin_session();
    GateVerdict verdict;
    int run = 0;
    for (int look = 0; look < kLooks; ++look) {
      for (; run < kCpuProcesses << look; ++run) {
        if (run % 2 == 0) processor_.run(place, 0, before);
        processor_.run(place, slower_, after);
        if (run % 2 != 0) processor_.run(place, 0, before);
      }
      verdict = judged(before, after, Design::interleaved);
      if (verdict.exit_status != kExitNoVerdict) break;
    }
    return verdict;
  }

 private:
  static GateVerdict judged(const Results& before, const Results& after, Design design) {
    static const Policy kPolicy = cpu_policy();
    GateVerdict verdict = compare(before, after, kPolicy, {.design = design});
    verdict.exit_status = exit_status(verdict);
    return verdict;
  }

  Processor processor_;
  double slower_;
};

class CpuSuite : public testing::TestWithParam<CpuMachine> {};

// Prints a row of docs/explain/statistics.md.
TEST_P(CpuSuite, UnchangedPassesAndSlowerIsFound) {
  int by_baseline = 0;
  int green = 0;
  int alarms = 0;
  int found = 0;
  for (unsigned trial = 0; trial < kGates; ++trial) {
    for (const double slower : {0.0, kPlanted}) {
      Gate gate(GetParam(), slower, trial + 1);
      GateVerdict verdict = gate.against_baseline();
      by_baseline += slower == 0 && verdict.exit_status == kExitPass;
      if (verdict.exit_status != kExitPass) verdict = gate.in_turns();
      green += slower == 0 && verdict.exit_status == kExitPass;
      found += slower > 0 && verdict.benchmarks.front().verdict == Verdict::regressed;
      for (const BenchmarkVerdict& each : verdict.benchmarks) {
        const bool is_slower = slower > 0 && each.id == verdict.benchmarks.front().id;
        alarms += !is_slower && each.verdict == Verdict::regressed;
      }
    }
  }
  const auto percent = [](int count) { return 100.0 * count / kGates; };
  fmt::print("| {} | {:.3g} % | {:.3g} % | {} of {} | {:.3g} % |\n", GetParam().name,
             percent(by_baseline), percent(green), alarms, kGates * (2 * kBenchmarks - 1),
             percent(found));
  EXPECT_GE(percent(green), 95);
  EXPECT_LE(alarms, kGates * 2 / 100);
  EXPECT_GE(percent(found), 95);
}

INSTANTIATE_TEST_SUITE_P(Machines, CpuSuite,
                         testing::Values(CpuMachine{"nobody beside it", 0, 2, 0.01, 0.005},
                                         CpuMachine{"a third of the time shared", 0.33},
                                         CpuMachine{"half of the time shared", 0.5, 3},
                                         CpuMachine{"shared for long", 0.33, 8}),
                         [](const auto& each) { return fmt::format("Machine{}", each.index); });

}  // namespace
}  // namespace warpgauge::ci
