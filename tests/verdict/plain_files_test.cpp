// SPDX-License-Identifier: Apache-2.0
// Comparing files of Google Benchmark that know nothing of Warpgauge, and by a threshold.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

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

GateVerdict compare_plain(const std::vector<std::string>& before,
                          const std::vector<std::string>& after,
                          const Policy& policy = built_in_policy()) {
  const auto read = [](const std::vector<std::string>& times) {
    std::vector<std::string> repetitions;
    for (const std::string& time : times) repetitions.push_back(nanoseconds(time));
    return results::parse_results(plain_text(repetitions), "plain.json");
  };
  return compare(read(before), read(after), policy);
}

TEST(Compare, TimesOnTheStepsOfAGpusTimestampsHaveTheirFloors) {
  const std::vector<std::string> times{"2048", "2080", "2048", "2112", "2080"};
  const GateVerdict same = compare_plain(times, {"2080", "2112", "2080", "2112", "2080"});
  EXPECT_EQ(only(same), Verdict::same) << "by processes alone it is 0.5 to 2.5 % slower";
  EXPECT_EQ(metric(same, "time").rule.absolute_floor, 64);
  EXPECT_EQ(metric(same, "time").rule.relative_floor, 0.007);
  EXPECT_EQ(same.notes.back(),
            "times lie on a grid of 32 ns, as a GPU's timestamps do: a difference of up to two "
            "steps does not count");
  const GateVerdict slower = compare_plain(times, {"2240", "2272", "2240", "2240", "2272"});
  EXPECT_EQ(only(slower), Verdict::regressed);
  const GateVerdict between = compare_plain(times, {"2091", "2112", "2080", "2123", "2080"});
  EXPECT_EQ(metric(between, "time").rule.absolute_floor, 0);
}

TEST(Compare, AnotherClocksStepsAreTwiceTheLeastFloor) {
  const std::vector<std::string> times{"2041.67", "2083.33", "2125",
                                       "2166.67", "2041.67", "2208.33"};
  const std::vector<std::string> later{"2041.67", "2083.33", "2083.33", "2125", "2041.67", "2250"};
  const GateVerdict verdict = compare_plain(times, later);
  EXPECT_NEAR(metric(verdict, "time").rule.absolute_floor, 2 * 41.667, 0.01);
  EXPECT_EQ(metric(verdict, "time").rule.relative_floor, 0.02) << "a processor's";
  EXPECT_EQ(verdict.notes.back().substr(0, 28), "times lie on a grid of 41.66");
}

TEST(Compare, FloorsOfAnotherDeviceAreSaidToBe) {
  const auto note = [](const char* device) {
    const Policy policy = parse_policy(
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.03\n"
        "[[floor]]\nclock = \"gpu\"\nrelative_floor = 0.01\ndevices = [\"" +
            std::string(device) + "\"]\n",
        "policy.toml");
    const results::Results results = results_of(h200(), {timed({100, 100})});
    const GateVerdict verdict = compare(results, results, policy);
    for (const std::string& each : verdict.notes) {
      if (each.find("the floors of time") != std::string::npos) return each;
    }
    return std::string();
  };
  EXPECT_EQ(note("nvidia-b200"),
            "the floors of time in policy.toml were measured on nvidia-b200, not on nvidia-h200: "
            "here 3 % holds, which nobody measured; warpgauge calibrate --policy-out writes floors "
            "for this device");
  EXPECT_EQ(note("nvidia-h200"), "");
}

TEST(Compare, FloorsOfTimeAreNoMatterWhereThereIsNoClock) {
  const results::Results results = results_of(emulated(), {counted(1536)});
  for (const std::string& each : compare(results, results, built_in_policy()).notes) {
    EXPECT_EQ(each.find("the floors of time"), std::string::npos) << each;
  }
}

TEST(Compare, FloorsOfTheBuiltInPolicyAreOfTheDeviceThatTheyWereMeasuredOn) {
  const auto floor_on = [](const char* key) {
    return built_in_policy().rule_for("a/b/1", "time", {.device = key}).relative_floor;
  };
  EXPECT_EQ(floor_on("nvidia-h200"), 0.007);
  EXPECT_EQ(floor_on("nvidia-a100-sxm4-80gb"), 0.02);
}

// A file of one process each: six benchmarks, of which the later take longer by the given share.
std::string reason_of_two_files(double by) {
  results::Results before;
  results::Results after;
  for (results::Results* side : {&before, &after}) {
    side->name = "plain.json";
    for (int k = 1; k <= 6; ++k) {
      const double sign = k % 2 == 0 ? 1 : -1;
      const double time = 1'000.0 * k * (side == &after ? 1 + sign * by : 1);
      auto& benchmark = side->benchmarks.emplace_back();
      benchmark.id = "BM/" + std::to_string(k);
      benchmark.metrics["time"].sessions.push_back({time, 1.001 * time, 0.999 * time});
    }
  }
  const GateVerdict verdict = compare(before, after, built_in_policy());
  return metric(verdict, "time").reason;
}

TEST(Compare, TwoFilesThatDifferSayHowManyProcessesWouldSettleIt) {
  const std::string few = reason_of_two_files(0.015);
  EXPECT_NE(few.find(" processes of each side, and import them"), few.npos) << few;
  const std::string none = reason_of_two_files(0.2);
  EXPECT_NE(none.find("100 processes of each side would not show 2 %; measure where nothing else"),
            none.npos)
      << none;
  EXPECT_EQ(none.find("e+"), none.npos) << none;
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

}  // namespace
}  // namespace warpgauge::ci
