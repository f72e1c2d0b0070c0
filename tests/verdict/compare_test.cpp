// SPDX-License-Identifier: Apache-2.0
// What a comparison decides of each metric, each benchmark and the suite.
#include "ci/verdict/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::Outcome;
using results::Status;

TEST(Compare, IdenticalResultsAreTheSame) {
  const Measured benchmark{
      .id = "a/b/1", .times_ns = {6560, 6561, 6559}, .counters = {{"barriers", 3}}};
  const GateVerdict verdict = judge({benchmark}, {benchmark});
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(verdict.exit_status, 0);
}

TEST(Compare, OneSessionToCompareWithIsSaidWhereItMatters) {
  const Measured benchmark = timed({6560, 6561, 6559});
  const Measured again = timed({6560, 6559, 6561});
  const GateVerdict one = judge({benchmark}, {again});
  ASSERT_EQ(one.notes.size(), 1u);
  EXPECT_EQ(one.notes.front().substr(0, 27), "one session to compare with");
  EXPECT_TRUE(judge({counted(1)}, {counted(1)}, emulated()).notes.empty());

  results::Results baseline = results_of(h200(), {benchmark});
  baseline.benchmarks.front().metrics.at("time").sessions.push_back({6570, 6571});
  const results::Results fresh = results_of(h200(), {again}, kLater);
  EXPECT_TRUE(compare(baseline, fresh, built_in_policy()).notes.empty());
}

TEST(Compare, RemarksAreNotedAndDecideNothing) {
  const results::Results before = results_of(emulated(), {counted(1)});
  results::Results after = results_of(emulated(), {counted(1)}, kLater);
  after.benchmarks.front().remarks = {"exit before a barrier: kernel k", "another"};
  const std::string id = after.benchmarks.front().id;
  const std::vector<std::string> noted{id + ": exit before a barrier: kernel k", id + ": another"};
  const GateVerdict verdict = compare(before, after, built_in_policy());
  EXPECT_EQ(verdict.notes, noted);
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(without_baseline("none", after, built_in_policy()).notes, noted);
}

TEST(Compare, TwoModesOfWhatHasNoBaselineAreNoted) {
  const auto notes = [](std::vector<double> times) {
    return without_baseline("none", results_of(h200(), {timed(std::move(times))}),
                            built_in_policy())
        .notes;
  };
  const std::vector<std::string> nothing;
  EXPECT_EQ(notes({21'230, 24'200, 21'231, 24'203, 21'229}),
            std::vector<std::string>{
                "processes have two modes, between which a slowdown may hide: "
                "transpose/padded/256x192 (21.23 µs and 24.20 µs); remove what makes the modes "
                "before you approve"});
  EXPECT_EQ(notes({21'230, 21'280, 21'231, 21'280, 21'229}), nothing) << "within the floor";
  EXPECT_EQ(notes({21'230, 24'200, 22'331, 23'403, 21'129}), nothing) << "a spread";
  EXPECT_EQ(notes({21'230, 24'200, 21'231, 24'203}), nothing) << "too few to tell";
}

TEST(Compare, AnExactCounterHasNoTolerance) {
  EXPECT_EQ(judge({counted(1'000'000)}, {counted(1'000'001)}).exit_status, kExitRegressed);
  const GateVerdict better = judge({counted(1'000'000)}, {counted(999'999)});
  EXPECT_EQ(only(better), Verdict::improved);
  EXPECT_EQ(better.exit_status, kExitPass);
}

TEST(Compare, OneBetterCounterDoesNotHideAWorseOne) {
  Measured after = counted(1536);
  after.counters["shared_load_requests"] = 1537;
  const GateVerdict verdict = judge({counted(49152)}, {after});
  EXPECT_EQ(only(verdict), Verdict::regressed);
  EXPECT_EQ(metric(verdict, "shared_load_wavefronts").verdict, Verdict::improved);
}

TEST(Compare, TimeNeedsToBeBeyondBothFloors) {
  const auto verdict_for = [](double before, double after) {
    return only(judge({timed({before, before, before, before, before})},
                      {timed({after, after, after, after, after})}));
  };
  EXPECT_EQ(verdict_for(100'000, 105'000), Verdict::regressed);
  EXPECT_EQ(verdict_for(100'000, 95'000), Verdict::improved);
  EXPECT_EQ(verdict_for(100'000, 100'500), Verdict::same);   // 0.5 %
  EXPECT_EQ(verdict_for(2'000, 2'030), Verdict::same);       // 1.5 %, less than a step
  EXPECT_EQ(verdict_for(1'000, 1'030), Verdict::same);       // 3 %, but less than a step
  EXPECT_EQ(verdict_for(1'000, 1'128), Verdict::regressed);  // four steps
}

TEST(Compare, WhereNothingWasMeasuredTheReasonIsThatOfWhatIsMissed) {
  const GateVerdict verdict =
      judge({counted(1)},
            {{.id = "transpose/padded/256x192", .not_measured = {{"counters", "no permission"}}}},
            emulated());
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
  EXPECT_EQ(verdict.benchmarks.front().message, "no permission");
}

TEST(Compare, OneProcessIsInconclusiveAndSaysHowToGetMore) {
  const GateVerdict few_now = judge({timed({100, 101})}, {timed({150})});
  EXPECT_EQ(only(few_now), Verdict::inconclusive);
  EXPECT_EQ(few_now.exit_status, kExitNoVerdict);
  EXPECT_NE(metric(few_now, "time").reason.find("--processes"), std::string::npos);
  EXPECT_EQ(only(judge({timed({100})}, {timed({150, 151})})), Verdict::inconclusive);
}

TEST(Compare, NoiseIsInconclusive) {
  EXPECT_EQ(only(judge({timed({100'000, 130'000, 90'000})}, {timed({104'000, 125'000, 95'000})})),
            Verdict::inconclusive);
}

TEST(Compare, NewMissingAndFailed) {
  const GateVerdict verdict =
      judge({timed({10'000, 10'001}, "a/gone/1"), timed({10'000, 10'001}, "a/fails/1")},
            {timed({10'000, 10'001}, "a/new/1"),
             {.id = "a/fails/1", .outcome = {Status::crashed, "died of SIGSEGV"}}});
  ASSERT_EQ(verdict.benchmarks.size(), 3u);
  EXPECT_EQ(verdict.benchmarks[0].verdict, Verdict::failed);
  EXPECT_EQ(verdict.benchmarks[0].message, "crashed: died of SIGSEGV");
  EXPECT_EQ(verdict.benchmarks[1].verdict, Verdict::missing);
  EXPECT_EQ(verdict.benchmarks[1].id, "a/gone/1");
  EXPECT_EQ(verdict.benchmarks[2].verdict, Verdict::added);
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
}

results::Results filtered(const std::string& filter, const std::vector<Measured>& benchmarks) {
  results::Results results = results_of(h200(), benchmarks);
  results.session->filter = filter;
  return results;
}

const Measured kOne{.id = "a/one/1", .counters = {{"barriers", 7}}};
const Measured kTwo{.id = "b/two/1", .counters = {{"barriers", 7}}};
const std::vector<Measured> kOneAndTwo{kOne, kTwo};

TEST(Compare, WhatAFilterLeftOutIsNotMissing) {
  const GateVerdict verdict =
      compare(results_of(h200(), kOneAndTwo), filtered("^a/", {kOne}), built_in_policy());
  EXPECT_EQ(verdict.benchmarks.size(), 1U);
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(std::count(verdict.notes.begin(), verdict.notes.end(),
                       "results.json was measured with --filter '^a/': 1 benchmark of results.json "
                       "is not compared"),
            1);
}

TEST(Compare, WhatAFilterDidNotLeaveOutIsMissing) {
  const GateVerdict verdict =
      compare(results_of(h200(), kOneAndTwo), filtered("[ab]/", {kOne}), built_in_policy());
  ASSERT_EQ(verdict.benchmarks.size(), 2U);
  EXPECT_EQ(verdict.benchmarks[0].verdict, Verdict::missing);
  EXPECT_EQ(verdict.benchmarks[0].id, "b/two/1");
}

TEST(Compare, WhatTheFilterOfAnEarlierFileLeftOutIsNotNew) {
  const results::Results before = filtered("^a/", {kOne});
  const GateVerdict verdict = compare(before, results_of(h200(), kOneAndTwo), built_in_policy());
  EXPECT_EQ(verdict.benchmarks.size(), 1U);
  EXPECT_EQ(only(verdict), Verdict::same);
  Measured failing = kTwo;
  failing.outcome = {Status::crashed, "died of SIGSEGV"};
  EXPECT_EQ(compare(before, results_of(h200(), {kOne, failing}), built_in_policy())
                .count(Verdict::failed),
            1U)
      << "what fails is never left out";
  results::Results baseline = before;
  baseline.is_baseline = true;
  EXPECT_EQ(compare(baseline, results_of(h200(), kOneAndTwo), built_in_policy()).benchmarks.size(),
            2U)
      << "the newest session of a baseline says nothing of the others";
}

TEST(Compare, FiltersThatLeaveNothingGiveNoVerdict) {
  const results::Results before = filtered("^a/", {kOne});
  try {
    (void)compare(before, filtered("^b/", {kTwo}), built_in_policy());
    FAIL() << "compared nothing";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNoVerdict);
    EXPECT_NE(std::string(error.what()).find("no benchmark in common"), std::string::npos);
  }
}

TEST(Compare, AFilterThatIsNoneNamesItsFile) {
  try {
    (void)compare(results_of(h200(), kOneAndTwo), filtered("[", kOneAndTwo), built_in_policy());
    FAIL() << "compared";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_TRUE(std::string(error.what()).starts_with("results.json: --filter '['"));
  }
}

TEST(Compare, AGatedMetricThatIsGoneIsNotMeasured) {
  Measured after = counted(1536);
  after.counters.erase("shared_load_wavefronts");
  after.not_measured["shared_load_wavefronts"] = "no permission";
  const GateVerdict verdict = judge({counted(1536)}, {after});
  EXPECT_EQ(only(verdict), Verdict::not_measured);
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
  EXPECT_EQ(metric(verdict, "shared_load_wavefronts").reason, "no permission");

  Policy policy = built_in_policy();
  policy.overrides.push_back({.benchmarks = "transpose/*",
                              .metrics = {"shared_load_wavefronts"},
                              .gate = {},
                              .optional = true,
                              .relative_floor = {},
                              .absolute_floor = {},
                              .reason = "runner without permission"});
  EXPECT_EQ(only(compare(results_of(h200(), {counted(1536)}), results_of(h200(), {after}), policy)),
            Verdict::same);
}

TEST(Compare, WithoutAnyMeasurementNothingPasses) {
  const GateVerdict verdict = judge({counted(1)}, {{.id = "transpose/padded/256x192"}}, emulated());
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
}

TEST(Compare, AMetricWithoutBaselineIsNew) {
  Measured after = counted(1536);
  after.counters["barriers"] = 4;
  const GateVerdict verdict = judge({counted(1536)}, {after});
  EXPECT_EQ(only(verdict), Verdict::added);
  EXPECT_EQ(verdict.exit_status, kExitNoVerdict);
}

TEST(Compare, WhatIsOnlyShownNeverGates) {
  Measured before = counted(1536);
  Measured after = counted(1536);
  before.counters["shared_load_ideal_wavefronts"] = 1;
  after.counters["shared_load_ideal_wavefronts"] = 100;
  EXPECT_EQ(judge({before}, {after}).exit_status, kExitPass);
}

TEST(Compare, TheGravestExitStatusWins) {
  const auto status_of = [](std::vector<Verdict> verdicts, std::set<Verdict> allowed = {}) {
    GateVerdict verdict;
    verdict.allowed = std::move(allowed);
    for (const Verdict each : verdicts) {
      verdict.benchmarks.push_back({.id = "x", .verdict = each, .message = "", .metrics = {}});
    }
    return exit_status(verdict);
  };
  using enum Verdict;
  EXPECT_EQ(status_of({}), 0);
  EXPECT_EQ(status_of({same, improved}), 0);
  EXPECT_EQ(status_of({same, added}), 3);
  EXPECT_EQ(status_of({inconclusive, same}), 3);
  EXPECT_EQ(status_of({added, regressed, inconclusive}), 1);
  EXPECT_EQ(status_of({regressed, failed}), 4);
  EXPECT_EQ(status_of({missing, regressed}), 4);
  EXPECT_EQ(status_of({not_measured}), 4);
  EXPECT_EQ(status_of({added, inconclusive}, {added}), 3);
  EXPECT_EQ(status_of({added, inconclusive}, {added, inconclusive}), 0);
  EXPECT_EQ(status_of({added, regressed}, {added, inconclusive}), 1);
}

TEST(Compare, AnAllowanceDoesNotCoverAMissingBaseline) {
  GateVerdict verdict =
      without_baseline("none", results_of(h200(), {counted(1)}), built_in_policy());
  verdict.allowed = {Verdict::added};
  EXPECT_EQ(exit_status(verdict), kExitNoVerdict);
}

TEST(Compare, WithoutBaselineWhatFailedStillCounts) {
  Measured failed = counted(1);
  failed.outcome = {Status::hung, "no progress"};
  EXPECT_EQ(exit_status(without_baseline("none", results_of(h200(), {failed}), built_in_policy())),
            kExitNotMeasured);
}

// Copying 16 bytes a nanosecond, of a ceiling of 20.
results::Results copying(double bytes, double time_ns) {
  results::Results results = results_of(h200(), {timed({time_ns}, "a/b/1")});
  results.session->ceilings =
      results::Ceilings{.size = "9", .bytes_per_second = {{"copy", 20e9}}, .not_measured = {}};
  results.session->device.l2_bytes = 1000;
  results.benchmarks.front().work = {bytes / 2, bytes / 2, 0};
  return results;
}

TEST(Compare, SaysWhatTheNewSideAchievesOfTheCeiling) {
  const results::Results before = copying(16000, 2000);
  results::Results after = copying(16000, 1000);
  const auto achieved = [&] {
    const auto compared = compare(before, after, built_in_policy()).benchmarks.front().achieved;
    const auto alone =
        without_baseline("none", after, built_in_policy()).benchmarks.front().achieved;
    EXPECT_EQ(compared.has_value(), alone.has_value());
    if (compared && alone) {
      EXPECT_EQ(compared->share, alone->share);
    }
    return compared.value_or(Achieved{});
  };
  EXPECT_DOUBLE_EQ(achieved().bytes_per_second, 16e9);
  EXPECT_EQ(achieved().ceiling, "copy");
  EXPECT_DOUBLE_EQ(achieved().share.value_or(0), 0.8);
  EXPECT_EQ(achieved().no_share_because, "");

  // Of several kernels, the span counts.
  after.benchmarks.front().metrics["span"].sessions = {{1250}};
  EXPECT_DOUBLE_EQ(achieved().bytes_per_second, 12.8e9);
  EXPECT_DOUBLE_EQ(achieved().share.value_or(0), 0.64);

  after = copying(1000, 1000);
  EXPECT_DOUBLE_EQ(achieved().bytes_per_second, 1e9);
  EXPECT_EQ(achieved().ceiling, "");
  EXPECT_FALSE(achieved().share);
  EXPECT_EQ(achieved().no_share_because, "it fits into the L2");

  after = copying(0, 1000);
  EXPECT_FALSE(compare(before, after, built_in_policy()).benchmarks.front().achieved.has_value());
}

TEST(Compare, AMissingBenchmarkAchievesNothing) {
  results::Results after = copying(16000, 1000);
  after.benchmarks.front().id = "another/b/1";
  const GateVerdict verdict = compare(copying(16000, 1000), after, built_in_policy());
  ASSERT_EQ(verdict.benchmarks.front().verdict, Verdict::missing);
  EXPECT_FALSE(verdict.benchmarks.front().achieved);
}

TEST(Compare, SpreadBetweenSessionsOfTheBaselineCounts) {
  // Each session is steady, but they are 5 % apart: 6 % more is nothing to be sure of.
  results::Results baseline = results_of(h200(), {timed({100'000, 100'010, 100'020})});
  const std::vector<Measured> slower{timed({106'000, 106'010, 106'020})};
  EXPECT_EQ(only(compare(baseline, results_of(h200(), slower), built_in_policy())),
            Verdict::regressed);
  auto& sessions = baseline.benchmarks[0].metrics["time"].sessions;
  sessions.push_back({104'000, 104'010, 104'020});
  sessions.push_back({97'000, 97'010, 97'020});
  EXPECT_EQ(only(compare(baseline, results_of(h200(), slower), built_in_policy())),
            Verdict::inconclusive);
}

// Baselines of three sessions each, 2 % apart, but for one whose sessions agree by chance.
TEST(Compare, ABenchmarkWhoseSessionsAgreeByChanceIsNotTakenAtItsWord) {
  const auto processes = [](double mean) { return std::vector{mean, mean + 1, mean + 2}; };
  std::vector<Measured> benchmarks{timed(processes(100'000), "a/lucky/1")};
  for (int i = 0; i < 10; ++i) {
    benchmarks.push_back(timed(processes(100'000), "a/other/" + std::to_string(i)));
  }
  results::Results baseline = results_of(h200(), benchmarks);
  for (auto& benchmark : baseline.benchmarks) {
    const double apart =
        benchmark.id == "a/lucky/1" ? 200 : 2'000;  // one in a hundred does by chance
    auto& sessions = benchmark.metrics["time"].sessions;
    sessions.push_back(processes(100'000 + apart));
    sessions.push_back(processes(100'000 - apart));
  }
  benchmarks[0] = timed(processes(104'500), "a/lucky/1");
  const auto verdict_of_lucky = [](const GateVerdict& verdict) {
    const auto found =
        std::find_if(verdict.benchmarks.begin(), verdict.benchmarks.end(),
                     [](const BenchmarkVerdict& each) { return each.id == "a/lucky/1"; });
    return found->verdict;
  };
  EXPECT_EQ(verdict_of_lucky(compare(baseline, results_of(h200(), benchmarks), built_in_policy())),
            Verdict::inconclusive);
}

// With 6 standard errors of few degrees of freedom, one test among one is sure and one among twenty
// is not, either way.
TEST(Compare, PValuesAreAdjustedOverTheSuiteInBothDirections) {
  const std::vector<double> before{98'000, 100'000, 102'000};
  for (const double change : {1 / 1.17, 1.17}) {
    std::vector<double> after;
    for (const double time : before) after.push_back(time * change);
    std::vector<Measured> old_suite{timed(before, "a/changed/1")};
    std::vector<Measured> new_suite{timed(after, "a/changed/1")};
    EXPECT_NE(only(judge(old_suite, new_suite)), Verdict::inconclusive) << change;
    for (int i = 0; i < 20; ++i) {
      old_suite.push_back(timed({10'000, 10'001, 10'002}, "a/same/" + std::to_string(i)));
      new_suite.push_back(old_suite.back());
    }
    const GateVerdict verdict = judge(old_suite, new_suite);
    EXPECT_EQ(verdict.benchmarks.front().verdict,
              change > 1 ? Verdict::inconclusive : Verdict::not_worse);
    const Evidence& evidence = *metric(verdict, "time").evidence;
    EXPECT_EQ(evidence.tests, 21u);
    const bool slower = change > 1;
    EXPECT_DOUBLE_EQ(slower ? evidence.adjusted_p_greater : evidence.adjusted_p_less,
                     21 * (slower ? evidence.estimate.p_greater : evidence.estimate.p_less));
  }
}

// Of another GPU, with no controls, it may be the GPU.
TEST(Compare, ASuiteThatMovesAsOneIsNotedAndOnTheSameGpuStillRegressed) {
  std::vector<Measured> before;
  std::vector<Measured> after;
  for (int i = 0; i < 6; ++i) {
    const std::string id = "a/b/" + std::to_string(i);
    before.push_back(timed({100'000, 100'010, 100'020}, id));
    after.push_back(timed({106'000, 106'010, 106'020}, id));
  }
  results::Device other_die = h200();
  other_die.uuid = "GPU-other";
  const auto noted = [&](const results::Device& device) {
    const GateVerdict verdict =
        compare(results_of(h200(), before), results_of(device, after, kLater), built_in_policy());
    const bool other = device.uuid == "GPU-other";
    EXPECT_EQ(verdict.count(Verdict::regressed), other ? 0u : 6u);
    EXPECT_EQ(verdict.count(Verdict::inconclusive), other ? 6u : 0u);
    EXPECT_EQ(verdict.notes.size(), 2u);
    return verdict.notes.back();
  };
  EXPECT_EQ(
      noted(other_die),
      "time is greater in 6 of 6 benchmarks together, +6.00 % in the median, so look first at "
      "what they share: code that all of them run, or the machine. What differs between the "
      "two sides: device UUID 'GPU-test' → 'GPU-other'. All verdicts stand");
  EXPECT_NE(noted(h200()).find("nothing that was recorded."), std::string::npos);
  before.resize(4);
  after.resize(4);
  EXPECT_EQ(judge(before, after).notes.size(), 1u) << "four are no suite";
}

TEST(Compare, AnAllowedVerdictDoesNotHideAnotherOneBelowIt) {
  GateVerdict verdict;
  MetricVerdict metric;
  metric.verdict = Verdict::added;
  verdict.benchmarks.push_back(
      {.id = "x", .verdict = Verdict::inconclusive, .message = "", .metrics = {metric}});
  verdict.allowed = {Verdict::inconclusive};
  EXPECT_EQ(exit_status(verdict), kExitNoVerdict);
  verdict.allowed = {Verdict::inconclusive, Verdict::added};
  EXPECT_EQ(exit_status(verdict), kExitPass);
}

TEST(Compare, WhatIsCriticalIsNotSoftenedAndLeads) {
  const auto with = [](const std::string& id) {
    return Measured{.id = id, .counters = {{"barriers", 1}}};
  };
  const auto judged = [&](const std::string& overrides) {
    GateVerdict verdict =
        compare(results_of(emulated(), {with("z/old/1")}),
                results_of(emulated(), {with("a/new/1"), with("z/new/1"), with("z/old/1")}),
                barriers_policy(overrides));
    verdict.allowed = {Verdict::added};
    verdict.exit_status = exit_status(verdict);
    return verdict;
  };
  const GateVerdict usual = judged("");
  EXPECT_EQ(usual.exit_status, kExitPass);
  EXPECT_EQ(usual.benchmarks.front().id, "a/new/1");
  EXPECT_EQ(conclusion(usual).find("Critical"), std::string::npos);

  const GateVerdict critical = judged("[[override]]\nbenchmarks = \"z/*\"\ncritical = true\n");
  EXPECT_EQ(critical.exit_status, kExitNoVerdict);
  EXPECT_EQ(critical.benchmarks.front().id, "z/new/1");
  EXPECT_EQ(critical.benchmarks.back().id, "z/old/1") << "the same leads nothing";
  EXPECT_EQ(conclusion(critical), "no verdict: 2 new, 1 same of 3 benchmarks. Critical: z/new/1.");
}

TEST(Compare, NotesOfThePolicyAreThoseOfTheReport) {
  Policy policy = barriers_policy();
  policy.notes = {"policy.toml:1: says so"};
  const results::Results before = results_of(emulated(), {counted(1)});
  const results::Results after = results_of(emulated(), {counted(1)}, kLater);
  EXPECT_EQ(compare(before, after, policy).notes, policy.notes);
  EXPECT_EQ(without_baseline("none", after, policy).notes, policy.notes);
}

}  // namespace
}  // namespace warpgauge::ci
