// SPDX-License-Identifier: Apache-2.0
// What the trends page is given; what it shows is tested in tests/report/page, in a browser.
#include "ci/history/trends_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "ci/report/formats/html.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using Json = nlohmann::json;

std::vector<HistoryRun> some_runs(std::size_t count) {
  std::vector<HistoryRun> runs;
  for (std::size_t i = 0; i < count; ++i) {
    HistoryRun run;
    run.number = static_cast<int>(i) + 11;
    run.session.device.name = "NVIDIA H200";
    run.session.device.uuid = "GPU-1";
    run.session.created = "2026-11-21T04:00:00Z";
    run.session.source.revision = "abc";
    run.commit_time = 0;
    run.commit_time_known = i != 0;
    runs.push_back(run);
  }
  return runs;
}

Trend trend(const std::string& benchmark, const std::string& metric, MetricClass metric_class,
            const std::vector<double>& figures) {
  Rule rule;
  rule.metric_class = metric_class;
  std::vector<HistoryFigures> runs;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    runs.push_back({i, metric_class == MetricClass::exact
                           ? std::vector<double>{figures[i]}
                           : std::vector<double>{figures[i], figures[i] - 1, figures[i] + 2}});
  }
  return trend_of({1, "nvidia-h200", benchmark}, metric, rule, runs);
}

const std::vector<double> kStepped{100, 100, 100, 100, 200, 200, 200, 200};

TEST(TrendsJson, HoldsRunsPointsAndChanges) {
  const auto runs = some_runs(8);
  const std::string text =
      trends_json("nvidia-h200", runs,
                  {trend("scan/plain/1", "time", MetricClass::statistical, kStepped),
                   trend("scan/plain/1", "loads", MetricClass::exact, {1, 1, 1, 1, 2, 2, 2, 2})},
                  "/pages");
  const Json json = Json::parse(text);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["device"], "NVIDIA H200");
  ASSERT_EQ(json["runs"].size(), 8u);
  EXPECT_EQ(json["runs"][0]["number"], 11);
  EXPECT_FALSE(json["runs"][0].contains("committed"));
  EXPECT_EQ(json["runs"][1]["committed"], "1970-01-01T00:00:00Z");
  ASSERT_EQ(json["trends"].size(), 1u);
  const Json& metrics = json["trends"][0]["metrics"];
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0]["unit"], "ns");
  ASSERT_EQ(metrics[0]["points"].size(), 8u);
  EXPECT_EQ(metrics[0]["points"][4], Json({4, 200.0, 199.0, 202.0}));
  ASSERT_EQ(metrics[0]["changes"].size(), 1u);
  EXPECT_EQ(metrics[0]["changes"][0]["kind"], "step");
  EXPECT_EQ(metrics[0]["changes"][0]["first"], 4);
  EXPECT_EQ(metrics[0]["changes"][0]["worse"], true);
  // Of what is exact, the ends and both sides of each change.
  EXPECT_EQ(metrics[1]["points"], Json::parse("[[0,1.0],[3,1.0],[4,2.0],[7,2.0]]"));
  EXPECT_FALSE(metrics[1]["changes"][0].contains("p"));
}

TEST(TrendsJson, NamesVerdictsFromThePagesFolder) {
  auto runs = some_runs(3);
  runs[0].verdict = "https://ci.example/4";
  runs[1].verdict = "/work/results/verdict.json";
  const Json json = Json::parse(trends_json("d", runs, {}, "/work/pages"));
  EXPECT_EQ(json["runs"][0]["verdict"], "https://ci.example/4");
  EXPECT_EQ(json["runs"][1]["verdict"], "../results/verdict.json");
  EXPECT_FALSE(json["runs"][2].contains("verdict"));
}

std::string badge_of(const std::vector<Trend>& trends) {
  const std::string svg = badge_svg(trends);
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(svg.c_str())) << svg;
  const pugi::xml_node image = document.child("svg");
  EXPECT_EQ(image.attribute("aria-label").value(), std::string(image.child("title").text().get()));
  return image.child("title").text().get();
}

TEST(BadgeSvg, CountsBenchmarksWhoseNewestChangeIsForTheWorse) {
  const auto of = [](const std::string& id, const std::vector<double>& figures) {
    return trend(id, "loads", MetricClass::exact, figures);
  };
  EXPECT_EQ(badge_of({}), "performance: steady");
  EXPECT_EQ(badge_of({of("a", {1, 1})}), "performance: steady");
  EXPECT_EQ(badge_of({of("a", {1, 2}), of("b", {1, 1})}), "performance: 1 of 2 benchmarks worse");
  // Fixed since.
  EXPECT_EQ(badge_of({of("a", {1, 2, 1}), of("b", {2, 1})}), "performance: steady");
  EXPECT_EQ(badge_of({of("a", {2, 1, 3})}), "performance: 1 of 1 benchmark worse");
  // Two metrics of one benchmark; at one run the worse counts, whichever comes first.
  EXPECT_EQ(badge_of({of("a", {1, 2}), trend("a", "stores", MetricClass::exact, {2, 1})}),
            "performance: 1 of 1 benchmark worse");
  EXPECT_EQ(badge_of({of("a", {2, 1}), trend("a", "stores", MetricClass::exact, {1, 2})}),
            "performance: 1 of 1 benchmark worse");
  EXPECT_EQ(badge_of({of("a", {1, 2, 2}), trend("a", "stores", MetricClass::exact, {2, 2, 1})}),
            "performance: steady");
}

using HistoryPage = InFolder;

TEST_F(HistoryPage, IsWrittenForOneDevice) {
  if (!has_html_page()) GTEST_SKIP() << "built without the HTML page, for want of npm";
  write("a.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}));
  write("b.json",
        results_text(emulated(), {{.id = "scan/plain/1", .counters = {{"barriers", 3}}}}));
  write("verdict.json", "{}");
  ASSERT_EQ(warpgauge("history record a.json b.json --verdict verdict.json").status, 0);
  const Finished ambiguous = warpgauge("history report --out pages/trends.html");
  EXPECT_EQ(ambiguous.status, 64);
  EXPECT_NE(ambiguous.output.find("--device emulated or nvidia-h200"), std::string::npos);
  const Finished finished =
      warpgauge("history report --device nvidia-h200 --out pages/trends.html");
  EXPECT_EQ(finished.output, "pages/trends.html: 1 trend in 1 run\n");
  const std::string page = results::read_file(folder_ / "pages/trends.html");
  EXPECT_NE(page.find("\"verdict\":\"../verdict.json\""), std::string::npos);
  EXPECT_NE(page.find("\"id\":\"scan/plain/1\""), std::string::npos);
}

TEST_F(HistoryPage, ABadgeIsWritten) {
  write("a.json",
        results_text(emulated(), {{.id = "scan/plain/1", .counters = {{"barriers", 3}}}}));
  ASSERT_EQ(warpgauge("history record a.json").status, 0);
  ASSERT_EQ(warpgauge("history badge --out badge.svg").status, 0);
  EXPECT_NE(results::read_file(folder_ / "badge.svg").find("performance: steady"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgauge::ci
