// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/results.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/profiling/results/error_of.hpp"

namespace warpgauge::results {
namespace {

const Metric& only_time(const Results& results) {
  EXPECT_EQ(results.benchmarks.size(), 1u);
  return results.benchmarks.front().metrics.at(kTimeMetric);
}

TEST(Results, RepetitionsThatShareANameAreOneBenchmark) {
  const Results results =
      parse_results(plain_text({nanoseconds("10"), nanoseconds("11"), nanoseconds("12.5")}), "f");
  EXPECT_EQ(results.benchmarks.front().id, "BM_copy/1024");
  EXPECT_EQ(only_time(results).sessions, (std::vector<std::vector<double>>{{10, 11, 12.5}}));
  EXPECT_FALSE(results.session);
}

TEST(Results, NameTheExecutableWithoutTheFoldersOfTheMachine) {
  const auto executable = [](const Json& context) {
    Session session;
    session.device = emulated();
    return Json::parse(to_json_text(merge(session, context, {})))["context"]["executable"];
  };
  EXPECT_EQ(executable({{"executable", "/home/someone/build/bin/suite_gpu"}}), "suite_gpu");
  EXPECT_EQ(executable({{"executable", "suite_gpu"}}), "suite_gpu");
  EXPECT_EQ(executable({{"executable", 3}}), 3);
}

TEST(Results, LaunchesThatDifferFromProcessToProcessAreNotTold) {
  Measured timed;
  timed.id = "copy/1024";
  timed.times_ns = {10, 11, 12};
  timed.launches = {{.kernel = "k()"}};
  Json json = Json::parse(results_text(h200(), {timed}));
  EXPECT_EQ(parse_results(json.dump(), "f").benchmarks.front().launches, timed.launches);
  json["benchmarks"][1]["warpgauge"]["launches"][0]["count"] = 2;
  const Results results = parse_results(json.dump(), "f");
  EXPECT_TRUE(results.benchmarks.front().launches.empty());
  EXPECT_EQ(results.benchmarks.front().not_measured.at(results::kLaunches),
            "they differ from process to process");
}

TEST(Results, TimeUnitsBecomeNanoseconds) {
  for (const auto& [unit, factor] : {std::pair("ns", 1.0), {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}) {
    const std::string text =
        plain_text({std::string(R"("real_time": 3, "time_unit": ")") + unit + "\""});
    EXPECT_EQ(only_time(parse_results(text, "f")).sessions.at(0).at(0), 3 * factor) << unit;
  }
}

TEST(Results, UnknownFieldsAndAggregatesAreSkipped) {
  const std::string text = R"({"new": [1, {"x": [2]}], "context": {"future": {"a": []}},
    "benchmarks": [
      {"name": "a", "run_type": "iteration", "real_time": 4, "time_unit": "ns"},
      {"name": "a_mean", "run_type": "aggregate", "aggregate_name": "mean", "real_time": NaN},
      {"name": "a_cv", "run_type": "aggregate", "aggregate_name": "cv", "aggregate_unit":
       "percentage", "real_time": 1}], "more": 3})";
  EXPECT_EQ(only_time(parse_results(text, "f")).sessions, (std::vector<std::vector<double>>{{4}}));
}

TEST(Results, OtherNumbersAreCounters) {
  const Results results = parse_results(
      plain_text({nanoseconds("10") + R"(, "label": "text", "bytes_per_second": 2e9, "hits": 0)"}),
      "f");
  const auto& metrics = results.benchmarks.front().metrics;
  EXPECT_EQ(metrics.at("bytes_per_second").sessions.at(0).at(0), 2e9);
  EXPECT_EQ(metrics.at("hits").sessions.at(0).at(0), 0);
  EXPECT_EQ(metrics.at("hits").problem, "");
  EXPECT_FALSE(metrics.contains("label"));
  EXPECT_EQ(metrics.at(kCpuTimeMetric).sessions.at(0).at(0), 1);
}

TEST(Results, ACounterNamedTimeIsNotTheClock) {
  const Results results = parse_results(
      plain_text({nanoseconds("10") + R"(, "time": 500)", nanoseconds("11") + R"(, "time": 500)"}),
      "f");
  EXPECT_EQ(only_time(results).sessions, (std::vector<std::vector<double>>{{10, 11}}));
  EXPECT_EQ(results.benchmarks.front().metrics.at("time (counter)").sessions.at(0).at(0), 500);
}

TEST(Results, BareNanAndInfinityAreReadAndNamed) {
  for (const auto& [value, problem] : {std::pair("NaN", "is NaN"),
                                       {"-NaN", "is NaN"},
                                       {"Infinity", "is infinite"},
                                       {"-Infinity", "is infinite"},
                                       {"-1", "is negative (-1)"},
                                       {"0", "is 0"},
                                       {"\"10\"", "is a string"},
                                       {"null", "is null"}}) {
    const Results results = parse_results(plain_text({nanoseconds("1"), nanoseconds(value)}), "f");
    EXPECT_EQ(only_time(results).problem, std::string(problem) + " in repetition 1") << value;
  }
}

TEST(Results, NanInsideANameStaysAName) {
  const std::string name = R"(BM \"NaN\" -Infinity)";
  const Results results = parse_results(plain_text({nanoseconds("NaN")}, name), "f");
  EXPECT_EQ(results.benchmarks.front().id, "BM \"NaN\" -Infinity");
}

TEST(Results, PlacesInMessagesAreRightBehindABareNan) {
  EXPECT_EQ(error_of("{\"context\": {\"x\": NaN},\n\"benchmarks\" ]"),
            "file.json: is not JSON: unexpected text at line 2, column 14; give the file that "
            "--benchmark_out or 'warpgauge run' wrote");
}

TEST(Results, AFailedRepetitionFailsItsBenchmark) {
  const Results results = parse_results(
      plain_text({nanoseconds("1"),
                  R"("error_occurred": true, "error_message": "no memory", "real_time": 0)"}),
      "f");
  EXPECT_EQ(results.benchmarks.front().outcome, (Outcome{Status::error, "no memory"}));
}

TEST(Results, CpuTimeIsAMetricOfItsOwnInNanoseconds) {
  const Results results = parse_results(
      plain_text({R"("real_time": 3, "cpu_time": 2.5, "time_unit": "us")"}, "BM/manual_time"), "f");
  EXPECT_EQ(only_time(results).sessions.at(0).at(0), 3e3);
  EXPECT_EQ(results.benchmarks.front().metrics.at("cpu_time").sessions.at(0).at(0), 2.5e3);
  EXPECT_FALSE(results_of(h200(), {{.id = "a/b/1", .times_ns = {100}}})
                   .benchmarks.front()
                   .metrics.contains("cpu_time"));
}

TEST(Results, WhatWasSkippedIsNotMeasuredAndNoFailure) {
  const Results results = parse_results(
      plain_text({R"("skipped": true, "skip_message": "needs two GPUs", "real_time": 0)"}), "f");
  const BenchmarkResult& benchmark = results.benchmarks.front();
  EXPECT_EQ(benchmark.outcome.status, Status::ok);
  EXPECT_TRUE(benchmark.metrics.empty());
  EXPECT_EQ(benchmark.not_measured.at("time"), "skipped: needs two GPUs");
}

TEST(Results, ThreadCountsAreBenchmarksOfTheirOwn) {
  const Results results = parse_results(R"({"benchmarks": [
    {"name": "a/threads:1", "threads": 1, "real_time": 4, "time_unit": "ns"},
    {"name": "a/threads:2", "threads": 2, "real_time": 5, "time_unit": "ns"}]})",
                                        "f");
  ASSERT_EQ(results.benchmarks.size(), 2u);
  EXPECT_EQ(results.benchmarks[1].id, "a/threads:2");
  EXPECT_EQ(results.benchmarks[1].metrics.at(kTimeMetric).sessions.at(0).at(0), 5);
}

TEST(Results, WhatWasMergedIsReadBack) {
  SourceLine line = source_line(31, Access::shared_load, 8, 256, "out = tile;");
  Measured measured{.id = "a/b/1", .times_ns = {100, 101, 102}};
  measured.counters = {{"shared_load_wavefronts", 256}, {"barriers", 0}};
  measured.lines = {line};
  measured.not_measured = {{"global_load_sectors", "no such counter"}};
  const Results results = results_of(h200(), {measured});
  const BenchmarkResult& benchmark = results.benchmarks.at(0);
  EXPECT_EQ(benchmark.id, "a/b/1");
  EXPECT_EQ(only_time(results).sessions, (std::vector<std::vector<double>>{{100, 101, 102}}));
  EXPECT_EQ(benchmark.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 256);
  EXPECT_EQ(benchmark.metrics.at("barriers").sessions.at(0).at(0), 0);
  EXPECT_EQ(benchmark.lines, (std::vector{line}));
  EXPECT_EQ(benchmark.not_measured.at("global_load_sectors"), "no such counter");
  EXPECT_FALSE(benchmark.not_measured.contains("time"));
  EXPECT_EQ(results.session->device, h200());
  EXPECT_EQ(results.session->processes, 3);
}

TEST(Results, WhetherTimesAreHotIsReadBackAndSaidOfThoseOnly) {
  Session session = *results_of(h200(), {{.id = "a/b/1"}}).session;
  EXPECT_FALSE(to_json(session).contains("hot"));
  session.hot = true;
  EXPECT_EQ(session_from(to_json(session)), session);
  Json json = to_json(session);
  json["hot"] = "yes";
  EXPECT_THROW(static_cast<void>(session_from(json)), FormatError);
}

TEST(Results, CeilingsAreReadBack) {
  Session session = *results_of(h200(), {{.id = "a/b/1"}}).session;
  EXPECT_FALSE(session.ceilings.has_value());
  session.ceilings = {.size = "20000", .bytes_per_second = {{"read", 4e12}, {"copy", 3.5e12}}};
  EXPECT_EQ(session_from(to_json(session)), session);
  session.ceilings = {.not_measured = "left out"};
  EXPECT_EQ(session_from(to_json(session)), session);
  for (const char* wrong : {R"([])", R"({})", R"({"size": "1", "bytes_per_second": {"read": 0}})",
                            R"({"size": 1, "bytes_per_second": {}})", R"({"not_measured": 1})"}) {
    Json json = to_json(session);
    json["ceilings"] = Json::parse(wrong);
    EXPECT_THROW(static_cast<void>(session_from(json)), FormatError) << wrong;
  }
}

TEST(Results, WhatIsNotMeasuredHasNoTime) {
  const Results results = results_of(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}});
  EXPECT_FALSE(results.benchmarks.at(0).metrics.contains("time"));
  EXPECT_EQ(results.benchmarks.at(0).not_measured.at("time"), "no clock");
}

TEST(Results, ATimeThatShouldBeThereAndIsNotIsAProblem) {
  std::string text = results_text(h200(), {{.id = "a/b/1", .times_ns = {100}}});
  text.replace(text.find("\"time_ns\":100.0"), 15, "\"time_xs\":100.0");
  EXPECT_EQ(only_time(parse_results(text, "f")).problem, "is missing");
}

TEST(Results, AFailureInTheCountersPassFailsTheBenchmark) {
  const Results results =
      results_of(h200(), {{.id = "a/b/1", .outcome = {Status::wrong_result, "3 of 9 are wrong"}}});
  EXPECT_EQ(results.benchmarks.at(0).outcome.status, Status::wrong_result);
}

TEST(Results, EntriesEqualInEveryKeyAreRefused) {
  const std::string entry = R"({"name": "a", "run_type": "iteration", "repetition_index": 0,
    "threads": 1, "real_time": 1, "time_unit": "ns"})";
  EXPECT_EQ(error_of(R"({"benchmarks": [)" + entry + "," + entry + "]}"),
            "file.json: a: occurs twice with repetition_index 0; give each benchmark a name of its "
            "own");
  std::string other = entry;
  other.replace(other.find("\"threads\": 1"), 12, "\"threads\": 2");
  EXPECT_EQ(error_of(R"({"benchmarks": [)" + entry + "," + other + "]}"), "accepted");
}

TEST(Results, OnlyAggregatesAreNoResults) {
  EXPECT_NE(error_of(R"({"benchmarks": [{"name": "a", "run_type": "aggregate"}]})")
                .find("--benchmark_report_aggregates_only=false"),
            std::string::npos);
}

// Timing processes see which kernels run, the counters' process does not.
TEST(Results, MachineCodeIsThatOfTheProcessThatSawTheKernels) {
  Record timed;
  timed.id = "a/b/1";
  timed.time_ns = 5;
  timed.machine_code = {kernel_code("k()", 'a')};
  timed.counters = {{"registers", 32}};
  Record counted;
  counted.id = timed.id;
  counted.pass = Pass::counters;
  counted.counters = {{"barriers", 2}};
  counted.not_measured = {{"machine_code", "which kernels ran was not observed"}};
  Session session;
  session.processes = 1;
  session.device = h200();
  const Results results = results_from(
      merge(session, Json::object(), {{0, timed, std::nullopt}, {0, counted, std::nullopt}}), "f");
  const BenchmarkResult& benchmark = results.benchmarks.at(0);
  EXPECT_EQ(benchmark.machine_code, timed.machine_code);
  EXPECT_FALSE(benchmark.not_measured.contains("machine_code"));
  EXPECT_TRUE(benchmark.metrics.contains("registers"));
  EXPECT_TRUE(benchmark.metrics.contains("barriers"));
}

// Each process that times says what it leaves to others.
TEST(Results, WhatAnotherPassMeasuredIsNotMissing) {
  Record timed;
  timed.id = "a/b/1";
  timed.time_ns = 5;
  timed.not_measured = {{"counters", "counters are read in a pass of their own"},
                        {"source_lines", "lines are counted in a pass of their own"},
                        {"occupancy", "is no sum"}};
  Record counted;
  counted.id = timed.id;
  counted.pass = Pass::counters;
  counted.counters = {{"barriers", 2}};
  Record lines;
  lines.id = timed.id;
  lines.pass = Pass::lines;
  lines.lines.resize(1);
  Session session;
  session.processes = 3;
  session.device = h200();
  const auto missing = [&](std::vector<Observation> observations) {
    const Results results = results_from(merge(session, Json::object(), observations), "f");
    std::vector<std::string> names;
    for (const auto& [name, reason] : results.benchmarks.at(0).not_measured) names.push_back(name);
    return names;
  };
  using Texts = std::vector<std::string>;
  std::vector<Observation> observations;
  for (int process = 0; process < 3; ++process)
    observations.push_back({process, timed, std::nullopt});
  EXPECT_EQ(missing(observations), (Texts{"counters", "occupancy", "source_lines"}));
  observations.push_back({0, counted, std::nullopt});
  EXPECT_EQ(missing(observations), (Texts{"occupancy", "source_lines"}));
  observations.push_back({0, lines, std::nullopt});
  EXPECT_EQ(missing(observations), (Texts{"occupancy"}));
}

}  // namespace
}  // namespace warpgauge::results
