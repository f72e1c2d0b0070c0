// SPDX-License-Identifier: Apache-2.0
// Floors that calibrate writes, and what a gate by them says of results that it has not seen.
#include "ci/gate/calibrate/proposed_floors.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using namespace ci;
using results::Results;

constexpr int kFloorProcesses = 6;

// Eight benchmarks of another program, by a processor's clock, whose processes differ by 0.4 %, and
// one by 4 %.
Results imported(std::mt19937& random, double slower = 0) {
  std::normal_distribution<> normal;
  std::vector<Measured> benchmarks;
  for (int b = 0; b < 9; ++b) {
    Measured& each = benchmarks.emplace_back();
    each.id = b < 8 ? fmt::format("steady/{}", b) : "shaky/\"8\"";
    const double deviation = b < 8 ? 0.004 : 0.04;
    for (int p = 0; p < kFloorProcesses; ++p) {
      each.times_ns.push_back(10'000 * (b == 0 ? 1 + slower : 1) *
                              (1 + deviation * normal(random)));
    }
  }
  results::Device device = h200();
  device.uuid.clear();
  Results results = results_of(device, benchmarks);
  results.session->imported = {"another program", false};
  return results;
}

// Three sessions, approved.
Results baseline(std::mt19937& random) {
  Results all = imported(random);
  for (const char* day : {"2026-11-22", "2026-11-23"}) {
    Results more = imported(random);
    for (std::size_t b = 0; b < all.benchmarks.size(); ++b) {
      auto& time = all.benchmarks[b].metrics["time"];
      time.sessions.push_back(more.benchmarks[b].metrics["time"].sessions.front());
      time.labels.emplace_back(day);
    }
  }
  all.is_baseline = true;
  return all;
}

const char* const kStrict =
    "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.005\n";

struct FloorRates {
  int open = 0;
  int alarms = 0;
  int found = 0;
  int entries = 0;
};

constexpr int kComparisons = 300;

// On results of the same machine, as new as may be.
FloorRates rates_by(const Policy& policy) {
  FloorRates rates;
  std::mt19937 random(4711);
  for (int i = 0; i < kComparisons; ++i) {
    for (const auto& each : compare(baseline(random), imported(random), policy).benchmarks) {
      ++rates.entries;
      rates.open += each.verdict == Verdict::inconclusive;
      rates.alarms += each.verdict == Verdict::regressed;
    }
    const GateVerdict slower = compare(baseline(random), imported(random, 0.05), policy);
    for (const auto& each : slower.benchmarks) {
      rates.found += each.id == "steady/0" && each.verdict == Verdict::regressed;
    }
  }
  return rates;
}

CalibrationOptions options() {
  CalibrationOptions options;
  options.effort = {.processes = kFloorProcesses, .most_processes = kFloorProcesses};
  options.trials = 300;
  return options;
}

TEST(Floors, AGateByThemHasVerdictsOnIdenticalCodeAndFindsWhatCalibratePromises) {
  const Policy strict = parse_policy(kStrict, "strict.toml");
  std::mt19937 random(1);
  std::vector<Results> sessions;
  for (int i = 0; i < 4; ++i) sessions.push_back(imported(random));
  const std::vector<Policy::Floor> floors = floors_of(sessions, strict, options());
  const Policy policy = parse_policy(kStrict + floors_toml(floors), "measured.toml");
  const Policy::Floor& of_all = policy.floors.front();
  EXPECT_EQ(of_all.clock, Clock::cpu);
  EXPECT_EQ(of_all.devices, std::vector<std::string>{"nvidia-h200"});
  EXPECT_LT(of_all.relative_floor, 0.02);
  const Policy::Floor& of_one = policy.floors.back();
  EXPECT_EQ(of_one.benchmarks, "shaky/\"8\"");
  EXPECT_GT(of_one.relative_floor, 0.05);

  const Calibration promised = calibrate(sessions, {}, policy, options());
  ASSERT_EQ(promised.settings.size(), 1u) << "nobody measures them in turns";
  const BenchmarkRates& steady = promised.settings[0].benchmarks[0];
  ASSERT_TRUE(steady.smallest_found());
  EXPECT_LE(*steady.smallest_found(), 0.05);

  EXPECT_GT(rates_by(strict).open, kComparisons) << "without them";
  const FloorRates rates = rates_by(policy);
  fmt::print("without a verdict {} of {}, alarms {}, 5 % found {} of {}\n", rates.open,
             rates.entries, rates.alarms, rates.found, kComparisons);
  EXPECT_LE(rates.open, 0.05 * rates.entries);
  EXPECT_LE(rates.alarms, 0.01 * rates.entries);
  EXPECT_GE(rates.found, 0.99 * kComparisons);
}

TEST(Floors, AreNeverBelowWhatAFewSessionsCanShow) {
  std::vector<Measured> steady{{.id = "a/b", .times_ns = {10'000, 10'001, 10'000, 10'001}}};
  const std::vector<Results> sessions{results_of(h200(), steady, "2026-01-01"),
                                      results_of(h200(), steady, "2026-01-02")};
  const auto floors = floors_of(sessions, parse_policy(kStrict, "strict.toml"), options());
  ASSERT_EQ(floors.size(), 1u);
  EXPECT_EQ(floors[0].clock, Clock::gpu);
  EXPECT_EQ(floors[0].relative_floor, 0.005);
  EXPECT_EQ(floors[0].relative_floor_against, 0.005);
}

TEST(Floors, KeepThoseOfWhatRepeatsWell) {
  std::vector<Measured> steady{{.id = "a/b", .times_ns = {10'000, 10'001, 10'000, 10'001}}};
  const std::vector<Results> sessions{results_of(h200(), steady, "2026-01-01"),
                                      results_of(h200(), steady, "2026-01-02")};
  const auto taken_over = [&](const std::string& relative) {
    const std::string of_gpu =
        "[[floor]]\nclock = \"gpu\"\nrelative_floor = 0.02\nabsolute_floor = 64\n"
        "resolution = 32\nsteady_relative_floor = " +
        relative + "\nsteady_absolute_floor = 16\nsteady_resolution = 8\n";
    const auto floors =
        floors_of(sessions, parse_policy(kStrict + of_gpu, "strict.toml"), options());
    return parse_policy(kStrict + floors_toml(floors), "new.toml").floors.at(0).steady;
  };
  EXPECT_EQ(taken_over("0.002"), (SteadyFloors{0.002, 16, 8}));
  const auto lower = taken_over("0.02");
  ASSERT_TRUE(lower);
  EXPECT_LT(lower->relative_floor, 0.02) << "no higher than what calibrating came to";
}

TEST(Floors, OfANewDeviceAreThoseOfItsFirstGate) {
  std::mt19937 random(1);
  Results first = imported(random);
  first.session->imported.reset();
  const auto floors_by = [&](const std::string& more) {
    const Policy policy = parse_policy(kStrict + more, "strict.toml");
    return floors_of_new_device(first, policy,
                                {.processes = kFloorProcesses, .most_processes = 10});
  };
  const auto floors = floors_by("");
  ASSERT_GE(floors.size(), 2u) << "of all, and of the one that repeats worst";
  EXPECT_EQ(floors.front().devices, std::vector{first.session->device.key});
  EXPECT_EQ(floors.back().benchmarks, "shaky/\"8\"");
  EXPECT_GT(floors.back().relative_floor_against, floors.front().relative_floor_against);
  EXPECT_EQ(floors_by(floors_toml(floors)).size(), 0u) << "it is not new any more";
  EXPECT_EQ(floors_by("[[floor]]\nclock = \"gpu\"\ndevices = [\"nvidia-b200\"]\n"
                      "relative_floor = 0.01\n")
                .size(),
            floors.size())
      << "those of another device say nothing";
}

TEST(Floors, OfAProgramHoldForNoOther) {
  const auto program = [](const std::string& command, double floor) {
    std::mt19937 random(1);
    Results made = imported(random);
    made.session->imported.reset();
    made.session->program = results::Program{command, ""};
    for (results::BenchmarkResult& each : made.benchmarks) {
      if (each.id.starts_with("shaky")) continue;
      for (double& time : each.metrics["time"].sessions[0]) time *= 1 + floor * (time > 10'000);
    }
    return made;
  };
  const Policy policy = parse_policy(
      std::string(kStrict) + "[[floor]]\nclock = \"program\"\nrelative_floor = 0.015\n", "p.toml");
  const Results noisy = program("python3 noisy.py", 0.05);
  const std::vector<Policy::Floor> floors = floors_of({noisy}, policy, options());
  ASSERT_GT(floors.front().relative_floor, 0.015);
  const Policy with = parse_policy(std::string(kStrict) +
                                       "[[floor]]\nclock = \"program\"\nrelative_floor = 0.015\n" +
                                       floors_toml(floors),
                                   "p.toml");
  const auto floor_of = [&](const std::string& command) {
    return with
        .rule_for("steady/0", "time",
                  {.clock = Clock::program, .device = "nvidia-h200", .command = command})
        .relative_floor;
  };
  EXPECT_GE(floor_of("python3 noisy.py"), floors.front().relative_floor);
  EXPECT_EQ(floor_of("python3 steady.py"), 0.015);
  EXPECT_EQ(floor_of(""), 0.015);
  EXPECT_EQ(idle_pattern(with, {"of/another"}), "") << "its ids are its own";
  const Effort effort{.processes = kFloorProcesses, .most_processes = 10};
  EXPECT_TRUE(floors_of_new_device(noisy, with, effort).empty());
  EXPECT_FALSE(floors_of_new_device(program("python3 other.py", 0.05), with, effort).empty());
}

}  // namespace
}  // namespace warpgauge
