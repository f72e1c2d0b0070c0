// SPDX-License-Identifier: Apache-2.0
// What the page shows of it is tested in tests/report/page, in a browser.
#include "ci/report/page/page_data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

using Document = nlohmann::json;

Document data_of(const GateVerdict& verdict, const ReportLinks& links = {}) {
  return Document::parse(page_data(verdict, links));
}

MetricVerdict exact(const char* name, double before, double after) {
  MetricVerdict metric;
  metric.metric = name;
  metric.metric_class = MetricClass::exact;
  metric.before = before;
  metric.after = after;
  metric.before_sessions = {{"a", {before}}, {"b", {before}}};
  metric.after_sessions = {{"c", {after}}};
  return metric;
}

GateVerdict one_benchmark() {
  GateVerdict verdict;
  BenchmarkVerdict& benchmark = verdict.benchmarks.emplace_back();
  benchmark.id = "scan/plain/1024";
  return verdict;
}

TEST(PageData, OfAWholeVerdictHasAllOfItsBenchmarks) {
  const GateVerdict verdict = everything();
  const Document data = data_of(verdict);
  ASSERT_EQ(data["benchmarks"].size(), verdict.benchmarks.size());
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    EXPECT_TRUE(std::any_of(data["benchmarks"].begin(), data["benchmarks"].end(),
                            [&](const Document& found) { return found["id"] == each.id; }))
        << each.id;
  }
  EXPECT_EQ(data["sources"].size(), verdict.sources.size());
}

TEST(PageData, HasTheBenchmarksThatMovedFurthestFirst) {
  GateVerdict verdict;
  for (const auto& [id, after] : {std::pair("a/a/1", 110.0), {"a/b/1", 300.0}, {"a/c/1", 200.0}}) {
    BenchmarkVerdict& benchmark = verdict.benchmarks.emplace_back();
    benchmark.id = id;
    benchmark.metrics = {exact("stack_bytes", 100, after)};
    benchmark.verdict = benchmark.metrics[0].verdict = Verdict::regressed;
  }
  const Document data = data_of(verdict);
  for (const auto& [i, id] : {std::pair(0U, "a/b/1"), {1U, "a/c/1"}, {2U, "a/a/1"}}) {
    EXPECT_EQ(data["benchmarks"][i]["id"], id);
    EXPECT_EQ(data["benchmarks"][i]["metrics"].size(), 1U);
  }
}

TEST(PageData, NamesWhatDidNotChangeOnce) {
  GateVerdict verdict = one_benchmark();
  verdict.benchmarks[0].metrics = {exact("registers", 32, 32), exact("stack_bytes", 0, 16)};
  verdict.benchmarks[0].metrics[1].verdict = Verdict::regressed;
  verdict.benchmarks[0].verdict = Verdict::regressed;
  const Document benchmark = data_of(verdict)["benchmarks"][0];
  EXPECT_EQ(benchmark["unchanged"], Document({{"registers", 32}}));
  ASSERT_EQ(benchmark["metrics"].size(), 1U);
  EXPECT_EQ(benchmark["metrics"][0]["metric"], "stack_bytes");
  EXPECT_EQ(benchmark["metrics"][0]["after"], 16);
}

// It has a reason, so that it is more than a figure.
TEST(PageData, KeepsWhatIsSaidOfAMetricThatIsTheSame) {
  GateVerdict verdict = one_benchmark();
  verdict.benchmarks[0].metrics = {exact("registers", 32, 32)};
  verdict.benchmarks[0].metrics[0].reason = "of the same code";
  const Document benchmark = data_of(verdict)["benchmarks"][0];
  EXPECT_FALSE(benchmark.contains("unchanged"));
  EXPECT_EQ(benchmark["metrics"][0]["reason"], "of the same code");
}

TEST(PageData, HasTheEndsOfManySamplesAndTheirNumber) {
  GateVerdict verdict = one_benchmark();
  std::vector<double> process;
  for (int i = 0; i < 5'000; ++i) process.push_back(1'000 + (i * 37) % 5'000);
  verdict.benchmarks[0].samples_after.assign(10, process);
  verdict.benchmarks[0].samples_before = {{3, 1, 2}};
  const Document benchmark = data_of(verdict)["benchmarks"][0];
  EXPECT_EQ(benchmark["samples_before"], Document({{1, 2, 3}}));
  EXPECT_EQ(benchmark["launches_before"], Document({3}));
  EXPECT_EQ(benchmark["launches_after"], Document(std::vector<int>(10, 5'000)));
  std::size_t dots = 0;
  for (const Document& each : benchmark["samples_after"]) {
    dots += each.size();
    EXPECT_EQ(each.front(), 1'000);
    EXPECT_EQ(each.back(), 5'999);
  }
  EXPECT_LE(dots, kMostPageSamples);
  EXPECT_GE(dots, kMostPageSamples / 2);
}

TEST(PageData, HasSixDigitsOfATime) {
  GateVerdict verdict = one_benchmark();
  MetricVerdict time = exact("time", 40'543.815384243746, 78'026.8077476787);
  time.metric_class = MetricClass::statistical;
  time.verdict = verdict.benchmarks[0].verdict = Verdict::regressed;
  verdict.benchmarks[0].metrics = {time};
  const Document metric = data_of(verdict)["benchmarks"][0]["metrics"][0];
  EXPECT_EQ(metric["before"], 40'543.8);
  EXPECT_EQ(metric["after_sessions"][0]["figures"][0], 78'026.8);
}

TEST(PageData, HasTheNewestTimesOfAHistory) {
  Document trends{{"runs", Document::array()}, {"trends", Document::array()}};
  Document points = Document::array();
  for (int i = 0; i < 100; ++i) {
    trends["runs"].push_back({{"revision", std::to_string(i)}, {"created", "2026-11-01"}});
    points.push_back({i, 1'000.0 + i, 1, 2});
  }
  const Document metrics = Document::array(
      {{{"metric", "registers"}, {"points", points}}, {{"metric", "time"}, {"points", points}}});
  for (const char* const id : {"scan/plain/1024", "of/another/1"}) {
    trends["trends"].push_back({{"id", id}, {"metrics", metrics}});
  }
  ReportLinks links;
  links.trends = trends.dump();
  links.references = {"naive"};
  const Document data = data_of(one_benchmark(), links);
  const Document& history = data["history"];
  ASSERT_EQ(history["runs"].size(), kMostPageRuns);
  EXPECT_EQ(history["runs"][0][0], "40");
  ASSERT_EQ(history["time"].size(), 1U);
  EXPECT_EQ(history["time"]["scan/plain/1024"].front(), Document({0, 1'040}));
  EXPECT_EQ(history["time"]["scan/plain/1024"].back(), Document({59, 1'099}));
  EXPECT_EQ(data["references"], Document({"naive"}));
  EXPECT_FALSE(data_of(one_benchmark()).contains("history"));
}

}  // namespace
}  // namespace warpgauge::ci
