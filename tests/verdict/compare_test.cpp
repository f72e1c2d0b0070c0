// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/aggregate.hpp"
#include "ci/verdict/verdict_text.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::Outcome;
using results::Status;

Measured counted(double wavefronts, std::vector<results::SourceLine> lines = {}) {
  return {.id = "transpose/padded/256x192",
          .counters = {{"shared_load_requests", 1536}, {"shared_load_wavefronts", wavefronts}},
          .lines = std::move(lines)};
}

Measured timed(std::vector<double> times, const std::string& id = "transpose/padded/256x192") {
  return {.id = id, .times_ns = std::move(times)};
}

GateVerdict judge(const std::vector<Measured>& before, const std::vector<Measured>& after,
                  const results::Device& device = h200()) {
  GateVerdict verdict =
      compare(results_of(device, before), results_of(device, after), built_in_policy());
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

Verdict only(const GateVerdict& verdict) {
  EXPECT_EQ(verdict.benchmarks.size(), 1u);
  return verdict.benchmarks.front().verdict;
}

const MetricVerdict& metric(const GateVerdict& verdict, const std::string& name) {
  for (const MetricVerdict& each : verdict.benchmarks.front().metrics) {
    if (each.metric == name) return each;
  }
  throw std::logic_error("no metric " + name);
}

TEST(Compare, IdenticalResultsAreTheSame) {
  const Measured benchmark{
      .id = "a/b/1", .times_ns = {6560, 6561, 6559}, .counters = {{"barriers", 3}}};
  const GateVerdict verdict = judge({benchmark}, {benchmark});
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(verdict.exit_status, 0);
}

TEST(Compare, OneSessionToCompareWithIsSaidWhereItMatters) {
  const Measured benchmark = timed({6560, 6561, 6559});
  const GateVerdict one = judge({benchmark}, {benchmark});
  ASSERT_EQ(one.notes.size(), 1u);
  EXPECT_EQ(one.notes.front().substr(0, 27), "one session to compare with");
  EXPECT_TRUE(judge({counted(1)}, {counted(1)}, emulated()).notes.empty());

  results::Results baseline = results_of(h200(), {benchmark});
  baseline.benchmarks.front().metrics.at("time").sessions.push_back({6570, 6571});
  const results::Results fresh = results_of(h200(), {benchmark});
  EXPECT_TRUE(compare(baseline, fresh, built_in_policy()).notes.empty());
}

TEST(Compare, RemarksAreNotedAndDecideNothing) {
  const results::Results before = results_of(emulated(), {counted(1)});
  results::Results after = results_of(emulated(), {counted(1)});
  after.benchmarks.front().remarks = {"exit before a barrier: kernel k", "another"};
  const std::string id = after.benchmarks.front().id;
  const std::vector<std::string> noted{id + ": exit before a barrier: kernel k", id + ": another"};
  const GateVerdict verdict = compare(before, after, built_in_policy());
  EXPECT_EQ(verdict.notes, noted);
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(without_baseline("none", after, built_in_policy()).notes, noted);
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

TEST(Compare, FloorsOfTimestampsAreNotForPlainFiles) {
  const auto plain = [](const char* a, const char* b) {
    return results::parse_results(plain_text({nanoseconds(a), nanoseconds(b)}), "plain.json");
  };
  const GateVerdict verdict =
      compare(plain("10.00", "10.01"), plain("12.00", "12.01"), built_in_policy());
  EXPECT_EQ(only(verdict), Verdict::regressed);
  ASSERT_EQ(verdict.notes.size(), 1u);
  EXPECT_NE(verdict.notes.front().find("not independent"), std::string::npos);
}

results::Results plain_results(const std::vector<std::string>& repetitions) {
  return results::parse_results(plain_text(repetitions), "plain.json");
}

// As Google Benchmark writes it with --benchmark_repetitions=2: repetitions, then aggregates.
std::string with_aggregates(double a, double b, const std::string& unit) {
  const auto entry = [&](const std::string& rest, double time) {
    return "{" + rest + R"(, "run_name": "BM", "threads": 1, "real_time": )" +
           std::to_string(time) + R"(, "cpu_time": 1, "time_unit": ")" + unit + "\"}";
  };
  return R"({"context": {}, "benchmarks": [)" +
         entry(R"("name": "BM", "run_type": "iteration", "repetition_index": 0)", a) + "," +
         entry(R"("name": "BM", "run_type": "iteration", "repetition_index": 1)", b) + "," +
         entry(R"("name": "BM_mean", "run_type": "aggregate", "aggregate_name": "mean")", 777) +
         "," +
         entry(R"("name": "BM_stddev", "run_type": "aggregate", "aggregate_name": "stddev")", 0) +
         "]}";
}

TEST(Compare, AggregatesAndUnitsOfPlainFilesAreUnderstood) {
  const auto read = [](const std::string& text) { return results::parse_results(text, "f"); };
  const GateVerdict same = compare(read(with_aggregates(10, 10.01, "us")),
                                   read(with_aggregates(0.01, 0.01001, "ms")), built_in_policy());
  EXPECT_EQ(only(same), Verdict::same);
  EXPECT_NEAR(*metric(same, "time").after, 10'005, 1e-9);
  const GateVerdict slower = compare(read(with_aggregates(10, 10.01, "us")),
                                     read(with_aggregates(10, 10.01, "ms")), built_in_policy());
  EXPECT_EQ(only(slower), Verdict::regressed);
}

TEST(Compare, ARepetitionThatFailedFailsItsBenchmark) {
  const std::string error = R"("error_occurred": true, "error_message": "no memory")";
  const std::string good = nanoseconds("10");
  EXPECT_EQ(
      only(compare(plain_results({good, good}), plain_results({good, error}), built_in_policy())),
      Verdict::failed);
}

TEST(Compare, WhatIsSkippedNowIsNotMeasuredAndWhatWasSkippedBeforeIsNew) {
  const results::Results good = plain_results({nanoseconds("10"), nanoseconds("10")});
  const results::Results skipped =
      plain_results({R"("skipped": true, "skip_message": "needs two GPUs")"});
  const GateVerdict gone = compare(good, skipped, built_in_policy());
  EXPECT_EQ(only(gone), Verdict::not_measured);
  EXPECT_EQ(gone.benchmarks.front().message, "skipped: needs two GPUs");
  EXPECT_EQ(only(compare(skipped, good, built_in_policy())), Verdict::added);
  const GateVerdict both = compare(skipped, skipped, built_in_policy());
  EXPECT_EQ(only(both), Verdict::inconclusive);
  EXPECT_EQ(both.benchmarks.front().message, "nothing was measured: skipped: needs two GPUs");
}

TEST(Compare, CpuTimeAndUserCountersAreShownUnlessThePolicyClassesThem) {
  const auto measured = [](const char* cpu_time, const char* hits) {
    const std::string fields = std::string(R"("real_time": 10, "time_unit": "ns", "cpu_time": )") +
                               cpu_time + R"(, "hits": )" + hits;
    return plain_results({fields, fields});
  };
  const results::Results before = measured("10", "7");
  const results::Results after = measured("20", "8");
  EXPECT_EQ(only(compare(before, after, built_in_policy())), Verdict::same);
  const auto judged = [&](const std::string& name, const std::string& metric_class) {
    return only(compare(
        before, after,
        parse_policy("[[metric]]\nnames = [\"" + name + "\"]\nclass = \"" + metric_class + "\"\n",
                     "policy.toml")));
  };
  EXPECT_EQ(judged("cpu_time", "statistical"), Verdict::regressed);
  EXPECT_EQ(judged("hits", "exact"), Verdict::regressed);
}

TEST(Compare, WhatIsShownIsTheMeanOfItsRepetitions) {
  const auto hits = [](const char* first, const char* second) {
    return plain_results({nanoseconds("10") + R"(, "hits": )" + first,
                          nanoseconds("10") + R"(, "hits": )" + second});
  };
  const GateVerdict verdict = compare(hits("1", "2"), hits("4", "6"), built_in_policy());
  EXPECT_EQ(metric(verdict, "hits").before, 1.5);
  EXPECT_EQ(metric(verdict, "hits").after, 5);
}

TEST(Compare, AThresholdJudgesWhatHasNoReplicatesAndSaysSo) {
  const auto verdict_for = [](const char* before, const char* after,
                              std::optional<double> threshold) {
    GateVerdict verdict =
        compare(plain_results({nanoseconds(before)}), plain_results({nanoseconds(after)}),
                built_in_policy(), {.threshold = threshold});
    verdict.exit_status = exit_status(verdict);
    return verdict;
  };
  const GateVerdict without = verdict_for("100", "150", std::nullopt);
  EXPECT_EQ(without.exit_status, kExitNoVerdict);
  EXPECT_EQ(metric(without, "time").reason,
            "one figure says nothing about its spread; repeat it (--benchmark_repetitions=5), or "
            "compare with --threshold PERCENT, which is no statistics");
  const GateVerdict slower = verdict_for("100", "106", 0.05);
  EXPECT_EQ(slower.exit_status, kExitRegressed);
  EXPECT_EQ(explain(metric(slower, "time")), "by threshold of 5 %, no statistics");
  EXPECT_EQ(slower.notes.back(),
            "1 metric by threshold of 5 %, no statistics; figures that were repeated are judged by "
            "statistics");
  EXPECT_EQ(only(verdict_for("100", "104", 0.05)), Verdict::same);
  EXPECT_EQ(only(verdict_for("106", "100", 0.05)), Verdict::improved);
  EXPECT_EQ(only(verdict_for("104", "100", 0.05)), Verdict::same);
  EXPECT_EQ(only(verdict_for("100", "96", 0.05)), Verdict::same);
}

TEST(Compare, AThresholdIsNotForWhatWasRepeatedOrMeasuredElsewhere) {
  const std::vector<std::string> noisy{nanoseconds("100"), nanoseconds("130"), nanoseconds("90")};
  const GateVerdict repeated =
      compare(plain_results(noisy), plain_results(noisy), built_in_policy(), {.threshold = 0.05});
  EXPECT_EQ(only(repeated), Verdict::inconclusive);
  EXPECT_EQ(repeated.notes.back().substr(0, 9), "0 metrics");
  results::Device newer = h200();
  newer.driver = "590.1";
  const GateVerdict elsewhere =
      compare(results_of(h200(), {timed({100})}), results_of(newer, {timed({150})}),
              built_in_policy(), {.threshold = 0.05});
  EXPECT_EQ(only(elsewhere), Verdict::inconclusive);
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
const std::vector<Measured> kBoth{kOne, kTwo};

TEST(Compare, WhatAFilterLeftOutIsNotMissing) {
  const GateVerdict verdict =
      compare(results_of(h200(), kBoth), filtered("^a/", {kOne}), built_in_policy());
  EXPECT_EQ(verdict.benchmarks.size(), 1U);
  EXPECT_EQ(only(verdict), Verdict::same);
  EXPECT_EQ(std::count(verdict.notes.begin(), verdict.notes.end(),
                       "results.json was measured with --filter '^a/': 1 benchmark of results.json "
                       "is not compared"),
            1);
}

TEST(Compare, WhatAFilterDidNotLeaveOutIsMissing) {
  const GateVerdict verdict =
      compare(results_of(h200(), kBoth), filtered("[ab]/", {kOne}), built_in_policy());
  ASSERT_EQ(verdict.benchmarks.size(), 2U);
  EXPECT_EQ(verdict.benchmarks[0].verdict, Verdict::missing);
  EXPECT_EQ(verdict.benchmarks[0].id, "b/two/1");
}

TEST(Compare, WhatTheFilterOfAnEarlierFileLeftOutIsNotNew) {
  const results::Results before = filtered("^a/", {kOne});
  const GateVerdict verdict = compare(before, results_of(h200(), kBoth), built_in_policy());
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
  EXPECT_EQ(compare(baseline, results_of(h200(), kBoth), built_in_policy()).benchmarks.size(), 2U)
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
    (void)compare(results_of(h200(), kBoth), filtered("[", kBoth), built_in_policy());
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

TEST(Compare, AnotherDeviceIsNoVerdict) {
  try {
    (void)compare(results_of(h200(), {counted(1)}), results_of(emulated(), {counted(1)}),
                  built_in_policy());
    FAIL() << "compared two devices";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNoVerdict);
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

// With 4 standard errors, one test among one is sure and one among twenty is not, either way.
TEST(Compare, PValuesAreAdjustedOverTheSuiteInBothDirections) {
  const std::vector<double> before{98'000, 100'000, 102'000};
  for (const double change : {0.92, 1.08}) {
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

TEST(Compare, ASuiteThatMovesAsOneIsNotedAndStillRegressed) {
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
        compare(results_of(h200(), before), results_of(device, after), built_in_policy());
    EXPECT_EQ(verdict.count(Verdict::regressed), 6u);
    EXPECT_EQ(verdict.notes.size(), 2u);
    return verdict.notes.back();
  };
  EXPECT_EQ(noted(other_die),
            "time is greater in 6 of 6 benchmarks together, +6.00 % in the median: look at what "
            "they share before each kernel. What differs between the two sides: device UUID "
            "'GPU-test' → 'GPU-other'. All verdicts stand");
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

Policy policy_of(const std::string& overrides) {
  return parse_policy(
      std::string("[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n") + overrides,
      "policy.toml");
}

TEST(Compare, WhatIsCriticalIsNotSoftenedAndLeads) {
  const auto with = [](const std::string& id) {
    return Measured{.id = id, .counters = {{"barriers", 1}}};
  };
  const auto judged = [&](const std::string& overrides) {
    GateVerdict verdict =
        compare(results_of(emulated(), {with("z/old/1")}),
                results_of(emulated(), {with("a/new/1"), with("z/new/1"), with("z/old/1")}),
                policy_of(overrides));
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
  Policy policy = policy_of("");
  policy.notes = {"policy.toml:1: says so"};
  const results::Results results = results_of(emulated(), {counted(1)});
  EXPECT_EQ(compare(results, results, policy).notes, policy.notes);
  EXPECT_EQ(without_baseline("none", results, policy).notes, policy.notes);
}

// The cause.

std::string cause_of(const std::vector<results::SourceLine>& before,
                     const std::vector<results::SourceLine>& after) {
  const GateVerdict verdict = judge({counted(1536, before)}, {counted(49152, after)}, emulated());
  return explain(metric(verdict, "shared_load_wavefronts"));
}

TEST(Cause, NamesTheLineThatGrewWhereItIsNow) {
  EXPECT_EQ(cause_of({source_line(30, Access::shared_load, 512, 512, "a = tile[y];"),
                      source_line(31, Access::shared_load, 1024, 1024, "b = tile[x];")},
                     {source_line(40, Access::shared_load, 512, 512, "a = tile[y];"),
                      source_line(41, Access::shared_load, 1024, 48640, "b = tile[x];")}),
            "1 → 47.5 a request at kernels/transpose.cuh:41: b = tile[x];")
      << "of that line, not of all";
}

TEST(Cause, MatchesAnotherInstanceOfATemplateByText) {
  EXPECT_EQ(
      cause_of({source_line(30, Access::shared_load, 512, 40000, "a = tile[y];", "tiled<1>"),
                source_line(31, Access::shared_load, 1024, 1024, "b = tile[x];", "tiled<1>")},
               {source_line(31, Access::shared_load, 1024, 9152, "b = tile[x];", "tiled<0>"),
                source_line(32, Access::shared_load, 512, 40000, "a = tile[y];", "tiled<0>")}),
      "1 → 8.938 a request at kernels/transpose.cuh:31: b = tile[x];");
}

TEST(Cause, AnEditedLineIsMatchedByOrder) {
  EXPECT_EQ(cause_of({source_line(30, Access::shared_load, 512, 512, "a = tile[y];"),
                      source_line(31, Access::shared_load, 1024, 1024, "b = tile[x];")},
                     {source_line(30, Access::shared_load, 512, 512, "a = tile[y];"),
                      source_line(31, Access::shared_load, 1024, 48640, "b = tile[32 * x];")}),
            "1 → 47.5 a request at kernels/transpose.cuh:31: b = tile[32 * x];");
}

TEST(Cause, OtherAccessesAreNotBlamed) {
  EXPECT_EQ(cause_of({source_line(31, Access::shared_load, 1536, 1536, "b = tile[x];")},
                     {source_line(20, Access::shared_store, 1536, 99999, "tile[x] = c;"),
                      source_line(31, Access::shared_load, 1536, 49152, "b = tile[x];")}),
            "1 → 32 a request at kernels/transpose.cuh:31: b = tile[x];");
}

TEST(Cause, SeveralLinesTheGreatestGrowthFirst) {
  EXPECT_EQ(cause_of({source_line(30, Access::shared_load, 512, 512, "a")},
                     {source_line(30, Access::shared_load, 512, 20000, "a"),
                      source_line(31, Access::shared_load, 512, 29000, "b"),
                      source_line(32, Access::shared_load, 512, 152, "c")}),
            "1 → 47.85 a request at kernels/transpose.cuh:31, kernels/transpose.cuh:30");
}

// A baseline of before lines were counted on this device.
TEST(Cause, WithoutLinesOfBeforeNoneOfSeveralIsBlamed) {
  EXPECT_EQ(cause_of({}, {source_line(30, Access::shared_load, 512, 20000, "a"),
                          source_line(31, Access::shared_load, 1024, 29152, "b")}),
            "1 → 32 a request; no source line: there are none of before to compare with; approving "
            "keeps them");
  EXPECT_EQ(cause_of({}, {source_line(31, Access::shared_load, 1536, 49152, "b")}),
            "1 → 32 a request at kernels/transpose.cuh:31: b");
}

TEST(Cause, WithoutLinesItIsSaidWhereTheyCanBeHad) {
  Measured after = counted(49152);
  after.times_ns = {12'000, 12'001};
  after.not_measured["source_lines"] = "not measured on a GPU";
  Measured before = counted(1536);
  before.times_ns = {6'000, 6'001};
  const GateVerdict verdict = judge({before}, {after});
  const auto& metrics = verdict.benchmarks.front().metrics;
  ASSERT_GE(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].metric, "time");
  EXPECT_EQ(metrics[0].verdict, Verdict::regressed);
  EXPECT_EQ(metrics[1].metric, "shared_load_wavefronts");
  EXPECT_EQ(explain(metrics[1]), "1 → 32 a request; no source line: not measured on a GPU");
}

TEST(Cause, MoreRequestsNameTheLineToo) {
  const std::vector<results::SourceLine> lines{
      source_line(31, Access::shared_load, 3072, 1536, "b = tile[x];")};
  Measured after = counted(1536, lines);
  after.counters["shared_load_requests"] = 3072;
  const GateVerdict verdict = judge({counted(1536)}, {after}, emulated());
  EXPECT_EQ(explain(metric(verdict, "shared_load_requests")),
            "at kernels/transpose.cuh:31: b = tile[x];");
}

}  // namespace
}  // namespace warpgauge::ci
