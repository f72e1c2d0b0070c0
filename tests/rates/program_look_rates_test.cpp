// SPDX-License-Identifier: Apache-2.0
// How often a program's gate passes what is unchanged and what got slower, and in how many starts:
// the whole procedure, simulated on figures whose truth is known.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/gate.hpp"
#include "ci/measure/program/program_measurement.hpp"
#include "ci/verdict/exit_status.hpp"
#include "profiling/results/program_id.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kKernels = 12;
constexpr double kFloor = 0.015;  // of the policy, for programs

// Of each kind. docs/explain/statistics.md has what comes of the many.
bool nightly() { return std::getenv("WARPGAUGE_NIGHTLY") != nullptr; }
constexpr int kMany = 400;
int gates() { return nightly() ? kMany : 60; }

// One of the kernels is slower, by so many floors.
struct ProgramTruth {
  double spread = 0.002;        // between processes, of all kernels
  double spread_of_it = 0.002;  // … of this one
  double of_sessions = 0.0006;  // that each session adds for each kernel
  double floors = 0;
  bool same_code = true;
};

// How a gate goes about it.
struct Ways {
  int early = early_look(5);
  bool excuses_at_once = false;  // the same code by its mean, at each look
};

struct LookRates {
  int gates = 0;
  int passed = 0;
  int let_pass = 0;  // the kernel that is slower
  int alarms = 0;
  int starts = 0;

  [[nodiscard]] double of(int count) const { return static_cast<double>(count) / gates; }
};

class SimulatedProgram {
 public:
  explicit SimulatedProgram(ProgramTruth truth) : truth_(truth) {}

  // Each against one approved session of five processes.
  LookRates gate(int gates, Ways ways = {}) {
    LookRates rates;
    for (int i = 0; i < gates; ++i) {
      Session before(*this, 1, 'a');
      before.add(5);
      results::Results approved = before.results("2026-11-21T04:00:00Z");
      approved.is_baseline = true;
      Session now(*this, 1 + truth_.floors * kFloor, truth_.same_code ? 'a' : 'b');
      const GateVerdict verdict = gate(approved, now, ways);
      ++rates.gates;
      rates.passed += verdict.exit_status == 0 ? 1 : 0;
      rates.alarms += verdict.exit_status == 1 ? 1 : 0;
      rates.starts += now.processes();
      for (const BenchmarkVerdict& each : verdict.benchmarks) {
        rates.let_pass += each.id == id_of(0) && exit_status(each.verdict) == 0 ? 1 : 0;
      }
    }
    return rates;
  }

 private:
  class Session {
   public:
    Session(SimulatedProgram& from, double slower, char code) : from_(from), code_(code) {
      for (int k = 0; k < kKernels; ++k) {
        const double change = k == 0 ? slower : 1;
        means_.push_back(100'000 * change * (1 + from.truth_.of_sessions * from.normal()));
      }
      times_.resize(kKernels);
    }

    void add(int processes) {
      for (int i = 0; i < processes; ++i) {
        for (std::size_t k = 0; k < kKernels; ++k) {
          const double spread = k == 0 ? from_.truth_.spread_of_it : from_.truth_.spread;
          times_[k].push_back(means_[k] * (1 + spread * from_.normal()));
        }
      }
    }

    [[nodiscard]] int processes() const { return static_cast<int>(times_.front().size()); }

    [[nodiscard]] results::Results results(const std::string& created) const {
      results::Results results;
      results.name = "simulated";
      results.session.emplace();
      results.session->device = h200();
      results.session->created = created;
      results.session->processes = processes();
      results.session->program = results::Program{"python3 bench.py", ""};
      for (std::size_t k = 0; k < kKernels; ++k) {
        results::BenchmarkResult& kernel = results.benchmarks.emplace_back();
        kernel.id = id_of(k);
        kernel.machine_code = {kernel_code(fmt::format("k{}", k), k == 0 ? code_ : 'c')};
        kernel.metrics[results::kTimeMetric].sessions = {times_[k]};
        kernel.metrics[results::kTimeMetric].labels = {created};
        kernel.metrics[results::kKernelLaunches].sessions = {std::vector<double>(1, 40)};
        kernel.metrics[results::kKernelLaunches].labels = {created};
      }
      return results;
    }

   private:
    SimulatedProgram& from_;
    char code_;
    std::vector<double> means_;
    std::vector<std::vector<double>> times_;
  };

  static std::string id_of(std::size_t kernel) { return fmt::format("step/k{}/4096·128", kernel); }

  double normal() { return normal_(random_); }

  GateVerdict gate(const results::Results& approved, Session& now, Ways ways) {
    Measuring measuring;
    measuring.has_clock = true;
    const Effort effort{.early = ways.early};
    measuring.observe_all = [&] { now.add(effort.at_once()); };
    measuring.time_again = [&](const std::set<std::string>&, int more) { now.add(more); };
    measuring.measured = [&] { return Sides{std::nullopt, now.results("2026-11-22T04:00:00Z")}; };
    measuring.keep = [] {};
    measuring.now = [] { return std::chrono::steady_clock::time_point(); };
    return measure_and_judge(measuring, effort, [&](MeasuredSides measured) {
      if (ways.excuses_at_once) measured.more_may_follow = false;
      return judge(measured, &approved, policy_, {});
    });
  }

  ProgramTruth truth_;
  Policy policy_ = built_in_policy();
  std::mt19937_64 random_{20261125};
  std::normal_distribution<double> normal_;
};

TEST(ProgramLooks, UnchangedProgramsPassInAsFewStartsAsTheirProcessesDiffer) {
  struct Case {
    double spread;
    double most_starts;
  };
  for (const auto& [spread, most_starts] :
       {Case{0.0005, 3.05}, Case{0.002, 3.8}, Case{0.004, 5.5}, Case{0.007, 10}}) {
    const LookRates rates =
        SimulatedProgram({.spread = spread, .spread_of_it = spread}).gate(gates());
    const LookRates in_full =
        SimulatedProgram({.spread = spread, .spread_of_it = spread}).gate(gates(), {.early = 0});
    fmt::print(
        "processes differ by {} %: exit 0 in {:.2f} %, {:.1f} starts (without the early "
        "look {:.2f} %, {:.1f})\n",
        100 * spread, 100 * rates.of(rates.passed), rates.of(rates.starts),
        100 * in_full.of(in_full.passed), in_full.of(in_full.starts));
    EXPECT_GE(rates.of(rates.passed), 0.98) << spread;
    EXPECT_EQ(rates.alarms, 0) << spread;
    EXPECT_LE(rates.of(rates.starts), most_starts) << spread;
  }
}

TEST(ProgramLooks, TheEarlyLookHidesNoSlowdown) {
  for (const double spread : {0.002, 0.004, 0.007}) {
    for (const double floors : {1.0, 1.5, 2.0}) {
      const ProgramTruth truth{
          .spread = spread, .spread_of_it = spread, .floors = floors, .same_code = false};
      const LookRates rates = SimulatedProgram(truth).gate(gates());
      const LookRates in_full = SimulatedProgram(truth).gate(gates(), {.early = 0});
      fmt::print(
          "other code, {} floors, processes differ by {} %: passes in {:.1f} %, alarms {:.1f} "
          "% (without the early look {:.1f} and {:.1f} %)\n",
          floors, 100 * spread, 100 * rates.of(rates.passed), 100 * rates.of(rates.alarms),
          100 * in_full.of(in_full.passed), 100 * in_full.of(in_full.alarms));
      EXPECT_LE(rates.of(rates.passed), Policy().beta) << spread << " " << floors;
      EXPECT_GE(rates.alarms, in_full.alarms - 8) << spread << " " << floors;
    }
  }
}

TEST(ProgramLooks, ANoisyKernelOfTheSameCodePassesMoreSeldomOnceAllStartsHaveTheirSay) {
  int at_once = 0;
  int at_last = 0;
  for (const double spread : {0.004, 0.007, 0.015, 0.03}) {
    for (const double floors : {0.0, 1.0, 1.5, 2.0}) {
      const bool tells_most = floors == 1.5 && (spread == 0.007 || spread == 0.015);
      if (!nightly() && !tells_most) continue;
      const ProgramTruth truth{.spread_of_it = spread, .floors = floors};
      const LookRates now = SimulatedProgram(truth).gate(kMany);
      const LookRates before =
          SimulatedProgram(truth).gate(kMany, {.early = 0, .excuses_at_once = true});
      fmt::print(
          "one differs by {} %, {} floors: passes in {:.1f} %, {:.1f} starts (excused at once "
          "{:.1f} %, {:.1f})\n",
          100 * spread, floors, 100 * now.of(now.let_pass), now.of(now.starts),
          100 * before.of(before.let_pass), before.of(before.starts));
      if (floors < 1.5) continue;
      at_last += now.let_pass;
      at_once += before.let_pass;
    }
  }
  EXPECT_LT(at_last, 0.8 * at_once);
}

}  // namespace
}  // namespace warpgauge::ci
