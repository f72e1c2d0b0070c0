// SPDX-License-Identifier: Apache-2.0
// What a person reads of a benchmark at first: what decides, with its bar, the cause once, the rest
// in a line; and all of it when asked.
#include "ci/report/brief_block.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/report/links.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

MetricVerdict metric(const std::string& name, Verdict verdict, double before, double after) {
  MetricVerdict metric;
  metric.metric = name;
  metric.metric_class = MetricClass::exact;
  metric.verdict = verdict;
  metric.before = before;
  metric.after = after;
  return metric;
}

MetricVerdict time_between(double low, double high, double floor, Verdict verdict) {
  MetricVerdict time = metric("time", verdict, 1'000, 1'000 * (low + high) / 2);
  time.metric_class = MetricClass::statistical;
  time.low = low;
  time.high = high;
  time.floor = floor;
  time.p = 0.001;
  return time;
}

TEST(IntervalBar, HasTheIntervalNoChangeAndTheFloorOnOneScale) {
  EXPECT_EQ(interval_bar(time_between(1.08, 1.10, 0.05, Verdict::regressed)),
            "┊······│·······┊····━━━━");
  EXPECT_EQ(interval_bar(time_between(0.90, 0.92, 0.05, Verdict::improved)),
            "━━━━····┊······│·······┊");
  EXPECT_EQ(interval_bar(time_between(0.99, 1.02, 0.05, Verdict::same)),
            "┊········━━┿━━━━━······┊");
}

TEST(IntervalBar, IsOneLineOfOneWidthWhateverTheFigures) {
  for (const double low : {1e-9, 0.5, 0.99, 1.0, 1.01, 7.0, 1e9}) {
    for (const double width : {1.0, 1.001, 3.0, 1e6}) {
      for (const double floor : {0.0, 0.007, 0.5, 100.0}) {
        const auto time = time_between(low, low * width, floor, Verdict::same);
        const std::string bar = interval_bar(time);
        if (low == 1 && width == 1 && floor == 0) continue;  // there is no scale
        EXPECT_EQ(display_width(bar), 24U) << low << ' ' << width << ' ' << floor;
      }
    }
  }
}

TEST(IntervalBar, IsNotDrawnWhereItWouldSayOtherThanTheVerdict) {
  EXPECT_EQ(interval_bar(time_between(0.99, 1.10, 0.05, Verdict::regressed)), "");
  EXPECT_EQ(interval_bar(time_between(1.08, 1.10, 0.05, Verdict::inconclusive)), "");
  MetricVerdict by_limit = time_between(1.08, 1.10, 0.05, Verdict::regressed);
  by_limit.by_limit = true;
  EXPECT_EQ(interval_bar(by_limit), "");
  EXPECT_EQ(brief_interval(by_limit), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(interval_bar(time_between(nan, 1.1, 0.05, Verdict::same)), "");
  EXPECT_EQ(interval_bar(time_between(-1.7e308, 1.7e308, 0.05, Verdict::inconclusive)), "");
}

TEST(BriefBlock, SaysOnceWhyAndNamesThoseOfTheRestThatMovedTheMost) {
  using enum Verdict;
  BenchmarkVerdict benchmark;
  benchmark.verdict = regressed;
  MetricVerdict time = time_between(1.08, 1.10, 0.05, regressed);
  time.reason =
      "other machine code: k; not as in the baseline's sessions: occupancy 1 (2 to 3 in 5 sessions "
      "or more, bounded); same input";
  benchmark.metrics = {time, metric("registers", improved, 44, 40),
                       metric("barriers", improved, 8, 2), metric("sectors", improved, 100, 99),
                       metric("spills", regressed, 0, 4)};
  const BriefBlock block = brief_block(benchmark);
  ASSERT_EQ(block.decides, &benchmark.metrics.front());
  EXPECT_EQ(block.cause, "other machine code: k; same input");
  EXPECT_EQ(block.rest,
            "also improved: barriers -75.0 %, registers -9.09 % and 1 more; regressed: spills 0 → "
            "4");
  EXPECT_EQ(brief_interval(*block.decides), "+8.0 to +10.0 %, floor 5.0 %");
}

TEST(BriefBlock, SaysInAFewWordsWhyWhatGrewIsNotWorse) {
  using enum Verdict;
  BenchmarkVerdict benchmark;
  benchmark.verdict = regressed;
  benchmark.metrics = {
      time_between(1.08, 1.10, 0.05, regressed), metric("registers", not_worse, 30, 32),
      metric("static_shared_bytes", not_worse, 100, 101), metric("barriers", not_worse, 4, 5)};
  for (const std::size_t each : {1, 2}) {
    benchmark.metrics[each].metric_class = MetricClass::exact;
    benchmark.metrics[each].reason = "as many warps are resident, 48";
  }
  benchmark.metrics[3].metric_class = MetricClass::exact;
  benchmark.metrics[3].reason = std::string(70, 'x');
  EXPECT_EQ(brief_block(benchmark).rest,
            "also not worse: registers +6.67 %, static_shared_bytes +1.00 % (as many warps are "
            "resident, 48); not worse: barriers +25.0 %");
}

TEST(BriefBlock, OfALimitThatWasNotKeptBeforeEitherItHasTheFigure) {
  MetricVerdict limited = metric("registers", Verdict::regressed, 126, 126);
  limited.by_limit = true;
  BenchmarkVerdict benchmark{
      .id = "a/b/1",
      .verdict = Verdict::regressed,
      .message = "",
      .metrics = {metric("spill_load_bytes", Verdict::regressed, 0, 8), limited}};
  EXPECT_EQ(brief_block(benchmark).rest, "also regressed: registers 126");
}

TEST(BriefBlock, OfOneVerdictTheFurthestMovedComesFirst) {
  using enum Verdict;
  GateVerdict verdict;
  const auto add = [&](const char* id, Verdict each, double after) {
    verdict.benchmarks.push_back(
        {.id = id, .verdict = each, .message = "", .metrics = {metric("x", each, 10, after)}});
  };
  add("a", regressed, 11);
  add("b", regressed, 30);
  add("c", inconclusive, 9);
  add("d", inconclusive, 10.5);
  add("e", improved, 9);
  add("f", improved, 2);
  add("g", same, 10);
  add("h", same, 12);
  std::vector<const BenchmarkVerdict*> all;
  for (const BenchmarkVerdict& each : verdict.benchmarks) all.push_back(&each);
  std::string order;
  for (const BenchmarkVerdict* each : furthest_first(all)) order += each->id;
  EXPECT_EQ(order, "badcfegh");
  const std::string report = terminal_report(verdict);
  EXPECT_LT(report.find("  regressed     b"), report.find("  regressed     a")) << report;
}

TEST(TerminalReport, ShowsAllOfEachBenchmarkWhenVerbose) {
  const std::string brief = terminal_report(everything());
  const std::string whole = terminal_report(everything(), {.verbose = true});
  for (const char* detail : {"p below 0.0001", "occupancy 0.5 → 0.25", "x/y/1", "scan/warp/1000",
                             "none of it worse than +0.7 %"}) {
    EXPECT_EQ(brief.find(detail), brief.npos) << detail;
    EXPECT_NE(whole.find(detail), whole.npos) << detail;
  }
  EXPECT_NE(brief.find("\n  not worse: 1 benchmark\n  same: 2 benchmarks\n"), brief.npos) << brief;
}

TEST(MarkdownReport, HasTenRowsAndFoldsTheRest) {
  GateVerdict verdict = everything();
  const BenchmarkVerdict sample = verdict.benchmarks[2];
  for (int i = 0; i < 15; ++i) verdict.benchmarks.push_back(sample);
  const std::string report = markdown_report(verdict);
  const std::size_t fold = report.find("<details><summary>12 more rows</summary>");
  ASSERT_NE(fold, report.npos) << report;
  std::size_t open = 0;
  for (std::size_t at = 0; (at = report.find("\n| ", at)) < fold; ++at) ++open;
  EXPECT_EQ(open, 11U) << "the head and ten rows";
}

TEST(MarkdownReport, SaysWhatIsWorstAndBestAndHowManyWereJudged) {
  GateVerdict verdict = everything();
  EXPECT_NE(markdown_report(verdict).find(
                "Worst: `scan/plain/1024`, failed. Best: reduction/a\\|b/7, "
                "`shared_load_wavefronts` -1.00 %. Judged: 6 of 9 benchmarks, 3 by an interval of "
                "their time, 3 by other evidence."),
            std::string::npos)
      << markdown_report(verdict);
  verdict.benchmarks.erase(verdict.benchmarks.begin(), verdict.benchmarks.begin() + 2);
  EXPECT_NE(markdown_report(verdict).find("Worst: `transpose/padded/4096x4096`, `time` +82.0 %."),
            std::string::npos);
  verdict.benchmarks = {{.id = "a", .verdict = Verdict::added, .message = "", .metrics = {}}};
  EXPECT_EQ(markdown_report(verdict).find("Worst"), std::string::npos) << "what is new is not bad";
}

TEST(MarkdownReport, LinksEachRowsSourceLineAndItsPlaceInThePage) {
  const ReportLinks links{"https://example.com/o/r/blob", "https://example.com/report.html"};
  const std::string report = markdown_report(everything(), links);
  EXPECT_NE(report.find("[`transpose/padded/4096x4096`](https://example.com/report.html#/b/"
                        "transpose%2Fpadded%2F4096x4096)"),
            report.npos)
      << report;
  EXPECT_NE(report.find("[`kernels/transpose.cuh:31`](https://example.com/o/r/blob/"
                        "0123456789abcdef/kernels/transpose.cuh#L31)"),
            report.npos)
      << report;
  EXPECT_EQ(markdown_report(everything()).find("]("), std::string::npos);
}

// Only time grew: no counter says where.
TEST(MarkdownReport, LinksTheBusiestLineWhereNoneGrew) {
  const ReportLinks links{"https://example.com/o/r/blob", ""};
  GateVerdict verdict = everything();
  const auto slower =
      std::find_if(verdict.benchmarks.begin(), verdict.benchmarks.end(),
                   [](const auto& each) { return each.id == "transpose/padded/4096x4096"; });
  ASSERT_NE(slower, verdict.benchmarks.end());
  for (MetricVerdict& metric : slower->metrics) metric.cause.reset();
  slower->lines_after = {source_line(7, results::Access::shared_load, 1, 10, "a"),
                         source_line(9, results::Access::shared_load, 1, 30, "b"),
                         source_line(9, results::Access::shared_store, 1, 30, "b")};
  const std::string report = markdown_report(verdict, links);
  EXPECT_NE(report.find("most traffic at [`kernels/transpose.cuh:9`](https://example.com/o/r/blob/"
                        "0123456789abcdef/kernels/transpose.cuh#L9)"),
            report.npos)
      << report;
}

TEST(Links, LeadNowhereElse) {
  const ReportLinks links{"https://example.com/o/r/blob", "https://example.com/report.html"};
  GateVerdict verdict = everything();
  results::SourceLine line = source_line(3, results::Access::shared_load, 1, 1, "x");
  for (const char* file : {"../k.cu", "/etc/k.cu", "", "a/../../k.cu"}) {
    line.file = file;
    EXPECT_EQ(source_link(links, verdict, line), "") << file;
  }
  line.file = "a b/(k)\"<x>.cu";
  EXPECT_EQ(source_link(links, verdict, line),
            "https://example.com/o/r/blob/0123456789abcdef/a%20b/%28k%29%22%3Cx%3E.cu#L3");
  verdict.after_session->source.revision = "main)[x](y";
  EXPECT_EQ(source_link(links, verdict, line), "");
  EXPECT_EQ(page_link({"", "javascript:alert(1)"}, "x"), "");
  EXPECT_EQ(page_link({"", "https://example.com/a)b"}, "x"), "");
  EXPECT_TRUE(is_linkable("https://example.com:8443/a/-/blob?x=1"));
}

}  // namespace
}  // namespace warpgauge::ci
