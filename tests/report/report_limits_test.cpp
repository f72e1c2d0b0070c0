// SPDX-License-Identifier: Apache-2.0
// What reports have of a verdict with more than any reader loads, as a hostile one may have.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "ci/report/findings.hpp"
#include "ci/report/formats/gitlab.hpp"
#include "ci/report/formats/html.hpp"
#include "ci/report/formats/junit.hpp"
#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/formats/sarif.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

using Document = nlohmann::json;

// A verdict of so many that improved, and then of so many that regressed, each in a metric.
GateVerdict many(std::size_t improved, std::size_t regressed) {
  GateVerdict verdict;
  verdict.after = "results.json";
  for (std::size_t i = 0; i < improved + regressed; ++i) {
    MetricVerdict metric;
    metric.metric = "barriers";
    metric.metric_class = MetricClass::exact;
    metric.before = 2;
    metric.after = i < improved ? 1 : 3;
    metric.verdict = i < improved ? Verdict::improved : Verdict::regressed;
    verdict.benchmarks.push_back({.id = fmt::format("a/{}", i),
                                  .verdict = metric.verdict,
                                  .message = "",
                                  .metrics = {metric}});
  }
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

// Regressed in one benchmark, by so many lines.
GateVerdict by_lines(std::size_t lines) {
  GateVerdict verdict = many(0, 1);
  MetricVerdict& metric = verdict.benchmarks.front().metrics.front();
  metric.cause.emplace();
  for (std::size_t i = 0; i < lines; ++i) {
    metric.cause->lines.push_back(
        {source_line(static_cast<int>(i + 1), results::Access::shared_load, 1, 1, "x"), 1, 2});
  }
  return verdict;
}

TEST(Listed, AreThoseThatDoNotPassFirst) {
  const GateVerdict verdict = many(3, 2);
  const auto ids = [&](std::size_t most) {
    std::string text;
    for (const BenchmarkVerdict* each : listed(verdict, most)) text += each->id + " ";
    return text;
  };
  EXPECT_EQ(ids(5), "a/0 a/1 a/2 a/3 a/4 ") << "all, in their order";
  EXPECT_EQ(ids(3), "a/3 a/4 a/0 ");
}

TEST(FindingsOfMany, AreTheGravestAndCountAll) {
  GateVerdict verdict = many(0, kMostListed + 7);
  verdict.allowed = {Verdict::inconclusive};
  for (std::size_t i = 0; i < 5; ++i) {
    verdict.benchmarks[i].verdict = verdict.benchmarks[i].metrics[0].verdict =
        Verdict::inconclusive;
  }
  const Findings found = findings(verdict);
  EXPECT_EQ(found.count(), kMostListed + 7);
  EXPECT_EQ(found.count(Level::warning), 5U);
  EXPECT_EQ(found.count_placed(false), kMostListed + 7);
  ASSERT_EQ(found.list.size(), kMostListed + 5) << "of each level";
  EXPECT_EQ(found.list.front().level, Level::error);
  EXPECT_EQ(found.list.back().level, Level::warning);
}

TEST(CodeQuality, OfManyHasTheGravestAndHowManyMore) {
  const Document all = Document::parse(code_quality_report(by_lines(kMostListed)));
  EXPECT_EQ(all.size(), kMostListed);
  EXPECT_NE(all.back()["check_name"], "warpgauge/more");
  const Document some = Document::parse(code_quality_report(by_lines(kMostListed + 3)));
  ASSERT_EQ(some.size(), kMostListed + 1);
  EXPECT_EQ(some.back()["check_name"], "warpgauge/more");
  EXPECT_EQ(some.back()["description"], "3 more findings left out here; verdict.json holds all");
  EXPECT_EQ(some.back()["severity"], "major");
}

TEST(Sarif, OfManyCountsAllThatAreLeftOut) {
  const Document sarif = Document::parse(sarif_report(by_lines(kMostListed + 3)));
  const Document& run = sarif["runs"][0];
  EXPECT_EQ(run["results"].size(), kMostSarifResults);
  static_assert(kMostListed + 3 - kMostSarifResults == 5'003);
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"].back()["message"]["text"],
            "5,003 results left out here; verdict.json holds all");
}

TEST(Junit, OfManyHasTheGravestAndHowManyMore) {
  pugi::xml_document document;
  const auto suite_of = [&](const GateVerdict& verdict) {
    EXPECT_TRUE(document.load_string(junit_report(verdict).c_str()));
    return document.child("testsuites").child("testsuite");
  };
  const auto count = [](const pugi::xml_node suite) {
    const auto tests = suite.children("testcase");
    return static_cast<std::size_t>(std::distance(tests.begin(), tests.end()));
  };
  pugi::xml_node suite = suite_of(many(kMostListed - 1, 1));
  EXPECT_EQ(count(suite), kMostListed);
  EXPECT_STREQ(suite.first_child().attribute("name").value(), "0");

  suite = suite_of(many(kMostListed, 2));
  EXPECT_EQ(count(suite), kMostListed + 1);
  EXPECT_EQ(suite.attribute("tests").as_uint(), kMostListed + 1);
  EXPECT_EQ(suite.attribute("failures").as_uint(), 2U);
  EXPECT_EQ(suite.attribute("skipped").as_uint(), 1U);
  EXPECT_TRUE(suite.first_child().child("failure")) << "what does not pass leads";
  const pugi::xml_node more = suite.find_child_by_attribute("name", "2 more benchmarks");
  EXPECT_STREQ(more.child("skipped").attribute("message").value(),
               "2 benchmarks left out here; verdict.json holds all");

  suite = suite_of(many(0, kMostListed + 1));
  EXPECT_EQ(suite.attribute("failures").as_uint(), kMostListed + 1);
  EXPECT_TRUE(suite.find_child_by_attribute("name", "1 more benchmark").child("failure"));
}

TEST(Junit, OfABenchmarkOfManyMetricsHasSome) {
  GateVerdict verdict = many(0, 1);
  auto& metrics = verdict.benchmarks.front().metrics;
  metrics.front().metric_class = MetricClass::statistical;  // each has a line of its own
  metrics.resize(4'000, metrics.front());
  for (std::size_t i = 0; i < metrics.size(); ++i) metrics[i].metric = fmt::format("m{}", i);
  const std::string report = junit_report(verdict);
  EXPECT_NE(report.find("\n3,900 more metrics\n"), report.npos);
  EXPECT_LT(report.size(), 200'000U);
}

TEST(TerminalReport, OfManyHasTheGravestAndHowManyMore) {
  GateVerdict verdict = many(kMostListed, 4);
  verdict.notes.assign(1'003, "note");
  const std::string report = terminal_report(verdict);
  EXPECT_LT(report.find("a/10003\n"), report.find("a/0\n"));
  EXPECT_NE(report.find("\n  4 more benchmarks left out here; verdict.json holds all\n"),
            report.npos);
  EXPECT_NE(report.find("\n3 more notes left out\n"), report.npos);
  EXPECT_EQ(terminal_report(many(kMostListed - 1, 1)).find("left out here"), report.npos);
}

TEST(Markdown, OfManyCountsAllThatAreLeftOut) {
  const std::string report = markdown_report(many(0, kMostListed + 3));
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = report.find("\n| regressed ", at)) != report.npos; ++at) ++rows;
  const std::size_t end = report.find(" more rows left out here");
  ASSERT_NE(end, report.npos);
  std::string left_out = report.substr(report.rfind('\n', end) + 1);
  left_out = left_out.substr(0, left_out.find(' '));
  std::erase(left_out, ',');
  EXPECT_EQ(rows + std::stoul(left_out), kMostListed + 3);
}

TEST(HtmlReport, OfManyHasTheGravestAndSaysSo) {
  if (!has_html_page()) GTEST_SKIP() << "built without the page";
  const GateVerdict verdict = many(kMostListed, 2);
  const std::string page = report_format("html").render(verdict);
  EXPECT_NE(page.find("this page has 10000 of 10002 benchmarks"), page.npos);
  EXPECT_NE(page.find("\"a/10001\""), page.npos);
  EXPECT_EQ(page.find("\"a/9999\""), page.npos);
}

// What verdict.json cannot hold: half of it, and half of that.
TEST(HtmlReport, OfWhatIsTooLargeHasAsManyAsFit) {
  if (!has_html_page()) GTEST_SKIP() << "built without the page";
  GateVerdict verdict = many(0, 140);
  for (BenchmarkVerdict& each : verdict.benchmarks) each.message = std::string(1'000'000, 'x');
  const std::string page = report_format("html").render(verdict);
  EXPECT_NE(page.find("35 of 140 benchmarks, and counts no others"), page.npos);
  EXPECT_LT(page.size(), 66'000'000U);
}

}  // namespace
}  // namespace warpgauge::ci
