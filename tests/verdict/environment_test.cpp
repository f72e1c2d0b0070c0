// SPDX-License-Identifier: Apache-2.0
// Comparing what was measured on another device, with another driver or with other caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/exit_status.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

TEST(Compare, AnotherDeviceIsNoVerdict) {
  try {
    (void)compare(results_of(h200(), {counted(1)}), results_of(emulated(), {counted(1)}),
                  built_in_policy());
    FAIL() << "compared two devices";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNoVerdict);
  }
}

std::string notes_of(const results::Results& before, const results::Results& after) {
  std::string all;
  for (const std::string& note : compare(before, after, built_in_policy()).notes)
    all += note + "\n";
  return all;
}

// An emulator has no time that could be the same, and its counters are those of no session.
TEST(Compare, AnEmulatedSessionAgainstItselfIsNamed) {
  const auto counts = [](double figure) {
    return results_of(emulated(), {counted(figure)}, "2026-11-21T04:00:00Z");
  };
  results::Results baseline = counts(1);
  baseline.is_baseline = true;
  for (auto& [name, metric] : baseline.benchmarks.front().metrics) metric.labels.clear();
  for (const double figure : {1, 2}) {
    EXPECT_NE(notes_of(baseline, counts(figure))
                  .find("is the session of 2026-11-21T04:00:00Z that the baseline was made of"),
              std::string::npos)
        << figure;
  }
}

TEST(Compare, ASessionAgainstItselfOrAnOlderOneIsNamed) {
  const auto session = [](double time, const std::string& created) {
    return results_of(h200(), {timed({time, time + 10, time + 20}, "a/b/1")}, created);
  };
  const results::Results before = session(10'000, "2026-11-21T04:00:00Z");
  EXPECT_NE(notes_of(before, before)
                .find("is the session of 2026-11-21T04:00:00Z that results.json was made of"),
            std::string::npos);
  const std::string older = notes_of(before, session(10'001, "2020-01-01T00:00:00Z"));
  EXPECT_NE(older.find("results.json is of 2020-01-01T00:00:00Z, before the newest session of "
                       "results.json (2026-11-21T04:00:00Z)"),
            std::string::npos)
      << older;
  const std::string newer = notes_of(before, session(10'001, "2026-11-21T04:00:01Z"));
  EXPECT_EQ(newer.find("session of"), std::string::npos) << newer;
  results::Results other = session(10'001, "2026-11-21T04:00:00Z");
  EXPECT_NE(notes_of(before, other).find("itself unless it was edited"), std::string::npos);
  other.session->device.uuid = "GPU-other";
  for (auto& [name, metric] : other.benchmarks.front().metrics) {
    metric.labels.assign(metric.sessions.size(), label(*other.session));
  }
  EXPECT_EQ(notes_of(before, other).find("session of"), std::string::npos) << "of another GPU";
}

// Two builds are often read within a second.
TEST(Compare, MachineCodeOfOneSecondIsOneSessionOnlyIfItIsTheSame) {
  results::Device device = emulated();
  device.kind = results::DeviceKind::machine_code;
  const auto session = [&](char hash, double registers) {
    return results_of(device, {{.id = "a/b/1",
                                .counters = {{"registers", registers}},
                                .machine_code = {kernel_code("k()", hash)}}});
  };
  const results::Results before = session('a', 32);
  EXPECT_NE(notes_of(before, before).find("is the session of"), std::string::npos);
  for (const results::Results& other : {session('b', 32), session('a', 33)}) {
    EXPECT_EQ(notes_of(before, other).find("is the session of"), std::string::npos);
  }
}

TEST(Compare, APartOfADeviceIsAnotherDevice) {
  results::Device whole = h200();
  whole.multiprocessors = 132;
  results::Device part = h200();
  part.multiprocessors = 16;
  try {
    (void)compare(results_of(whole, {counted(1)}), results_of(part, {counted(1)}),
                  built_in_policy());
    FAIL() << "compared a whole with a part";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNoVerdict);
    EXPECT_NE(std::string(error.what()).find("132 multiprocessors, the other 16"),
              std::string::npos);
  }
}

// Why these two devices are no sides of a comparison; empty: they are.
std::string why_other_devices(const results::Device& before, const results::Device& after) {
  try {
    (void)compare(results_of(before, {counted(1)}), results_of(after, {counted(1)}),
                  built_in_policy());
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNoVerdict);
    return error.what();
  }
}

TEST(Compare, CardsOfOneNameWithOtherMemoryOrArchitectureAreOtherDevices) {
  const auto card = [](const std::string& capability, double gigabytes) {
    results::Device device = h200();
    device.compute_capability = capability;
    device.memory_bytes = static_cast<std::uint64_t>(gigabytes * 1e9);
    return device;
  };
  const results::Device usual = card("8.0", 85);
  EXPECT_EQ(why_other_devices(usual, card("8.0", 84)), "") << "with another driver";
  EXPECT_EQ(why_other_devices(usual, card("8.0", 85 - 85. / 16)), "") << "with ECC";
  EXPECT_EQ(why_other_devices(usual, card("", 0)), "") << "not known";
  for (const bool is_first : {true, false}) {
    const auto why = [&](const results::Device& other) {
      return is_first ? why_other_devices(usual, other) : why_other_devices(other, usual);
    };
    EXPECT_NE(why(card("8.0", 42.5))
                  .find(is_first ? "has 85 GB of memory, the other 42 GB"
                                 : "has 42 GB of memory, the other 85 GB"),
              std::string::npos);
    EXPECT_NE(why(card("8.6", 85))
                  .find(is_first ? "compute capability 8.0, the other of 8.6"
                                 : "compute capability 8.6, the other of 8.0"),
              std::string::npos);
  }
}

TEST(Compare, WithAnotherPowerLimitTimeHasNoVerdictUnlessOneSideDoesNotTell) {
  const std::vector<Measured> benchmarks{timed({10'000, 10'010, 10'020}, "a/b/1")};
  results::Results before = results_of(h200(), benchmarks);
  results::Results after = before;
  before.session->settings.emplace().power_limit_w = 700;
  EXPECT_EQ(only(compare(before, after, built_in_policy())), Verdict::same);
  after.session->settings.emplace().power_limit_w = 700;
  EXPECT_EQ(only(compare(before, after, built_in_policy())), Verdict::same);
  after.session->settings->power_limit_w = 600;
  const GateVerdict limited = compare(before, after, built_in_policy());
  EXPECT_EQ(only(limited), Verdict::inconclusive);
  EXPECT_NE(limited.benchmarks.front().metrics.front().reason.find(
                "another power limit '700 W' → '600 W'"),
            std::string::npos);
}

TEST(Compare, HotAndColdTimesHaveNoVerdictAndSayNothingOfTheMachine) {
  Policy policy = built_in_policy();
  policy.controls = {"a/*"};
  std::vector<Measured> benchmarks;
  for (const char* id : {"a/b/1", "a/c/1", "b/b/1", "b/c/1"}) {
    benchmarks.push_back(timed({100'000, 100'010, 100'020}, id));
  }
  const results::Results cold = results_of(h200(), benchmarks);
  for (Measured& each : benchmarks) each.times_ns = {50'000, 50'010, 50'020};
  results::Results hot = results_of(h200(), benchmarks);
  hot.session->hot = true;
  for (const bool cold_first : {true, false}) {
    const GateVerdict verdict =
        cold_first ? compare(cold, hot, policy) : compare(hot, cold, policy);
    EXPECT_EQ(verdict.count(Verdict::inconclusive), 4u);
    EXPECT_NE(verdict.benchmarks.front().metrics.front().reason.find(
                  cold_first ? "another state of the caches 'cold' → 'hot'"
                             : "another state of the caches 'hot' → 'cold'"),
              std::string::npos);
    for (const std::string& note : verdict.notes) {
      EXPECT_EQ(note.find("this machine"), note.npos) << note;
      EXPECT_EQ(note.find("together"), note.npos) << note;
    }
  }
  // Without the mark it is a machine, or a suite, that is faster as a whole.
  hot.session->hot = false;
  std::string unmarked;
  for (const std::string& note : compare(cold, hot, policy).notes) unmarked += note;
  EXPECT_NE(unmarked.find("this machine"), unmarked.npos) << unmarked;
}

TEST(Compare, HotTimesAreComparedWithTheirLikeAndSaidToBeHot) {
  results::Results hot = results_of(h200(), {timed({100'000, 100'010, 100'020}, "a/b/1")});
  hot.session->hot = true;
  results::Results slower = results_of(h200(), {timed({200'000, 200'010, 200'020}, "a/b/1")});
  slower.session->hot = true;
  const GateVerdict verdict = compare(hot, slower, built_in_policy());
  EXPECT_EQ(only(verdict), Verdict::regressed);
  EXPECT_NE(std::find(verdict.notes.begin(), verdict.notes.end(),
                      "times are hot: the caches were as a kernel's last launch left them"),
            verdict.notes.end());
}

// Of a benchmark whose kernel is the one that this digit stands for, launched as ever.
results::Results coded(double time, char code, const std::string& created) {
  Measured each = timed({time, time + 10, time + 20}, "a/b/1");
  each.machine_code = {kernel_code("kernel", code)};
  each.counters = {{"shared_load_requests", 8}};
  return results_of(h200(), {each}, created);
}

TEST(Compare, AStrangersProcessOnTheGpuIsNamedAndOtherCodeHasNoVerdictBesideIt) {
  results::Results before = coded(100'000, 'a', "2026-11-21T04:00:00Z");
  before.is_baseline = true;
  const auto beside = [&](double time, char code) {
    results::Results after = coded(time, code, kLater);
    after.benchmarks.front().other_processes = {"python3 (process 461)"};
    GateVerdict verdict = compare(before, after, built_in_policy());
    verdict.exit_status = exit_status(verdict);
    return verdict;
  };
  const auto is_noted = [](const GateVerdict& verdict) {
    return std::any_of(verdict.notes.begin(), verdict.notes.end(), [](const std::string& note) {
      return note.starts_with("python3 (process 461) computed on the GPU while 1 benchmark was");
    });
  };
  for (const double time : {100'000., 200'000.}) {
    const GateVerdict changed = beside(time, 'b');
    EXPECT_EQ(only(changed), Verdict::inconclusive);
    EXPECT_EQ(changed.exit_status, kExitNoVerdict);
    EXPECT_NE(metric(changed, "time").reason.find("python3 (process 461) computed on the GPU"),
              std::string::npos)
        << metric(changed, "time").reason;
    EXPECT_TRUE(is_noted(changed));
  }
  EXPECT_FALSE(is_noted(compare(before, coded(100'000, 'b', kLater), built_in_policy())));
}

TEST(Compare, WithAnotherDriverTimeHasNoVerdictAndCountersHave) {
  results::Device newer = h200();
  newer.driver = "590.1";
  Measured before = counted(1536);
  Measured after = counted(49152);
  before.times_ns = {100'000, 100'010, 100'020};
  after.times_ns = {100'000, 100'010, 100'020};
  const GateVerdict worse =
      compare(results_of(h200(), {before}), results_of(newer, {after}), built_in_policy());
  EXPECT_EQ(metric(worse, "shared_load_wavefronts").verdict, Verdict::regressed);
  EXPECT_EQ(metric(worse, "time").verdict, Verdict::inconclusive);
  EXPECT_EQ(metric(worse, "time").reason,
            "-0.0 to +0.0 %, but measured with another driver '580.1' → '590.1', which moves times "
            "without any change of the kernel; measure both sides alike, or start over with "
            "warpgauge approve --new-environment");
  ASSERT_FALSE(worse.notes.empty());
  EXPECT_EQ(worse.notes.front(), "driver differs from the baseline's: '580.1' → '590.1'");
  after.times_ns = {200'000, 200'010, 200'020};
  const GateVerdict slower =
      compare(results_of(h200(), {before}), results_of(newer, {after}), built_in_policy());
  EXPECT_EQ(metric(slower, "time").verdict, Verdict::inconclusive);
  EXPECT_EQ(metric(slower, "time").after, 200'010);
}

}  // namespace
}  // namespace warpgauge::ci
