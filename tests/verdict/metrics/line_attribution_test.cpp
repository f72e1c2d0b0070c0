// SPDX-License-Identifier: Apache-2.0
// Which source lines a counter that grew blames.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/verdict/compare.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;

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
            "1 → 32 a request; no source line: the baseline has none to compare with; the next "
            "approval stores them");
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
