// SPDX-License-Identifier: Apache-2.0
// How often identical code of other programs' files gets no verdict, or raises an alarm, and how
// often 5 % more time is found, by the built-in policy. Simulated: process means and
// repetitions scatter as was measured of these clocks (docs/explain/statistics.md says where).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "ci/verdict/text/inconclusive.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr int kProgramComparisons = 300;

// One benchmark: how long it takes, by what share its processes differ, and their repetitions.
struct Kernel {
  double time_ns;
  double processes;
  double repetitions = 0;
};

struct Suite {
  const char* name;
  std::vector<Kernel> kernels;
  int figures = 5;       // a side
  double step_ns = 0;    // of the clock; 0: none
  double tail = 0;       // chance that a repetition takes 10 to 30 % more
  bool imported = true;  // else repetitions of one process are the figures
  Clock clock = Clock::event;
};

void PrintTo(const Suite& suite, std::ostream* stream) { *stream << suite.name; }

class SimulatedStarts {
 public:
  SimulatedStarts(const Suite& suite, unsigned seed) : suite_(suite), random_(seed) {}

  // slower: by which share the first kernel is.
  Results side(double slower) {
    Results results;
    results.name = "simulated";
    if (suite_.imported) {
      results.session.emplace();
      results.session->created = "2026-11-21T04:00:00Z";
      results.session->device = h200();
      results.session->device.uuid.clear();
      results.session->imported = {"another program", suite_.clock != Clock::cpu,
                                   suite_.clock == Clock::event};
    }
    for (std::size_t k = 0; k < suite_.kernels.size(); ++k) {
      Kernel kernel = suite_.kernels[k];
      if (k == 0) kernel.time_ns *= 1 + slower;
      auto& benchmark = results.benchmarks.emplace_back();
      benchmark.id = fmt::format("kernel/{}", k);
      benchmark.metrics["time"].sessions.push_back(figures(kernel));
    }
    return results;
  }

 private:
  std::vector<double> figures(const Kernel& kernel) {
    std::vector<double> all;
    const double process = normal_(random_);
    for (int i = 0; i < suite_.figures; ++i) {
      const double of_process = suite_.imported ? normal_(random_) : process;
      double time = kernel.time_ns *
                    (1 + kernel.processes * of_process + kernel.repetitions * normal_(random_));
      if (uniform_(random_) < suite_.tail) time *= 1.1 + 0.2 * uniform_(random_);
      all.push_back(suite_.step_ns > 0 ? suite_.step_ns * std::round(time / suite_.step_ns) : time);
    }
    return all;
  }

  const Suite& suite_;
  std::mt19937 random_;
  std::normal_distribution<> normal_;
  std::uniform_real_distribution<> uniform_;
};

struct ProgramRates {
  int open = 0;
  int alarms = 0;
  int found = 0;
  int entries = 0;
};

ProgramRates rates_of(const Suite& suite) {
  const Policy policy = built_in_policy();
  ProgramRates rates;
  for (unsigned trial = 0; trial < kProgramComparisons; ++trial) {
    SimulatedStarts simulated(suite, trial + 1);
    const GateVerdict same = compare(simulated.side(0), simulated.side(0), policy);
    for (const BenchmarkVerdict& each : same.benchmarks) {
      ++rates.entries;
      rates.open += each.verdict == Verdict::inconclusive;
      rates.alarms += each.verdict == Verdict::regressed;
    }
    const GateVerdict slower = compare(simulated.side(0), simulated.side(0.05), policy);
    rates.found += slower.benchmarks.front().verdict == Verdict::regressed;
  }
  return rates;
}

// processes: by which share they differ, more or less.
std::vector<Kernel> twelve_kernels(double processes) {
  std::vector<Kernel> kernels;
  for (int k = 0; k < 12; ++k) {
    kernels.push_back(
        {1'000.0 * (k + 1), processes * (0.6 + 0.8 * k / 11), 0.003 + 0.002 * (k % 2)});
  }
  return kernels;
}

const std::vector<Suite>& suites() {
  static const std::vector<Suite> kSuites{
      {"Google Benchmark, 5 repetitions a side in steps of 32 ns, which differ by 0.1 to 0.4 %",
       {{11'000, 0, 0.0021}, {2'500, 0, 0.004}, {6'000, 0, 0.0019}, {37'000, 0, 0.001}},
       5,
       32,
       0,
       false},
      {"NVBench, 6 files a side, which differ by 0.22 to 1.25 %",
       {{11'000, 0.0045}, {2'500, 0.0125}, {6'000, 0.005}, {37'000, 0.0022}, {150'000, 0.0022}},
       6},
      {"Google Benchmark, a processor's clock, 10 repetitions a side: processes differ by 0.2 to "
       "0.5 %, repetitions by 0.3 to 0.5 %",
       {{50'000, 0.003, 0.005},
        {2'000, 0.005, 0.005},
        {300, 0.005, 0.003},
        {9'000'000, 0.002, 0.003}},
       10,
       0,
       0,
       false,
       Clock::cpu},
      {"Google Benchmark, a processor's clock, twelve benchmarks, 10 repetitions a side: processes "
       "differ by 0.2 to 0.5 %, repetitions by 0.3 to 0.5 %",
       twelve_kernels(0.0035), 10, 0, 0, false, Clock::cpu},
      {"the same imported, 6 files a side",
       {{50'000, 0.003, 0.002},
        {2'000, 0.005, 0.002},
        {300, 0.005, 0.002},
        {9'000'000, 0.002, 0.002}},
       6,
       0,
       0,
       true,
       Clock::cpu}};
  return kSuites;
}

class OtherPrograms : public testing::TestWithParam<Suite> {};

TEST_P(OtherPrograms, IdenticalCodeGetsAVerdictAndSlowerCodeIsFound) {
  const Suite& suite = GetParam();
  const ProgramRates rates = rates_of(suite);
  fmt::print("| {} | {:.1f} % | {:.2f} % | {:.1f} % |\n", suite.name,
             100.0 * rates.open / rates.entries, 100.0 * rates.alarms / rates.entries,
             100.0 * rates.found / kProgramComparisons);
  EXPECT_LE(rates.open, 0.05 * rates.entries);
  EXPECT_LE(rates.alarms, 0.01 * rates.entries);
  EXPECT_GE(rates.found, 0.99 * kProgramComparisons);
}

// As on a virtual machine beside others, where processes were seen to differ by 5 to 30 %.
TEST(OtherProgramsOnABusyMachine, AlarmsSeldom) {
  const Suite suite{"busy", twelve_kernels(0.08), 10, 0, 0, false, Clock::cpu};
  const ProgramRates rates = rates_of(suite);
  fmt::print("processes differ by 8 %: without a verdict {:.1f} %, alarms {:.2f} %\n",
             100.0 * rates.open / rates.entries, 100.0 * rates.alarms / rates.entries);
  EXPECT_LE(rates.alarms, 0.01 * rates.entries);
}

// What an unclear verdict of two files asks for is enough: so many files a side, imported.
TEST(OtherProgramsOnABusyMachine, AsManyProcessesAsAreAskedForGiveAVerdict) {
  constexpr double kFloor = 0.02;  // of a processor's clock
  for (const double processes : {0.004, 0.008, 0.015}) {
    const auto count = processes_that_settle(std::sqrt(2) * processes, kFloor);
    ASSERT_TRUE(count.has_value()) << processes;
    std::vector<Kernel> kernels = twelve_kernels(processes);
    for (Kernel& each : kernels) each.processes = processes;
    const ProgramRates rates = rates_of({"asked for", kernels, *count, 0, 0, true, Clock::cpu});
    fmt::print(
        "processes differ by {:.1f} %, {} a side: without a verdict {:.1f} %, alarms "
        "{:.2f} %, 5 % found {:.1f} %\n",
        100 * processes, *count, 100.0 * rates.open / rates.entries,
        100.0 * rates.alarms / rates.entries, 100.0 * rates.found / kProgramComparisons);
    EXPECT_LE(rates.open, 0.05 * rates.entries) << processes;
    EXPECT_LE(rates.alarms, 0.01 * rates.entries) << processes;
    EXPECT_GE(rates.found, 0.98 * kProgramComparisons) << processes;
  }
  EXPECT_FALSE(processes_that_settle(0.2, kFloor).has_value());
}

INSTANTIATE_TEST_SUITE_P(Files, OtherPrograms, testing::ValuesIn(suites()));

}  // namespace
}  // namespace warpgauge::ci
