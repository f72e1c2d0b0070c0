// SPDX-License-Identifier: Apache-2.0
// The table of both environments in the summary, and what its heading says of it.
#include <gtest/gtest.h>

#include <string>

#include "ci/report/formats/markdown_report.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

GateVerdict of_two_sessions() {
  GateVerdict verdict;
  verdict.benchmarks = {{.id = "a/b/1", .verdict = Verdict::same, .message = "", .metrics = {}}};
  verdict.before_session = sample_session("2026-11-01T10:00:00Z", "580.1");
  verdict.after_session = verdict.before_session;
  return verdict;
}

std::string heading(const GateVerdict& verdict) {
  const std::string begin = "<details><summary>Environment: ";
  const std::string report = markdown_report(verdict);
  const std::size_t at = report.find(begin);
  if (at == report.npos) return "there is none";
  return report.substr(at + begin.size(), report.find("</summary>", at) - at - begin.size());
}

TEST(EnvironmentInSummary, NamesTheRowsThatDifferFromSessionToSession) {
  GateVerdict verdict = of_two_sessions();
  EXPECT_EQ(heading(verdict), "no difference");
  verdict.after_session->created = "2026-11-21T04:19:54Z";
  EXPECT_EQ(heading(verdict), "the same but for measured");
  verdict.after_session->source.revision = "fedcba9876543210";
  EXPECT_EQ(heading(verdict), "the same but for measured and source");
  verdict.after_session->processes = 40;
  EXPECT_EQ(heading(verdict), "the same but for measured, source and processes");
  verdict.after_session->device.driver = "590.1";
  EXPECT_EQ(heading(verdict), "1 difference");
}

TEST(EnvironmentInSummary, IsThereForFilesThatRanInTurns) {
  GateVerdict verdict = of_two_sessions();
  verdict.before_session->turns = "A of 0123, begun 2026-11-21T04:19:54Z";
  verdict.after_session->turns = "B of 0123, begun 2026-11-21T04:19:54Z";
  ASSERT_TRUE(are_in_turns(*verdict.before_session, *verdict.after_session));
  verdict.after_session->source.revision = "fedcba9876543210";
  EXPECT_EQ(heading(verdict), "the same but for source");
  EXPECT_TRUE(contains(markdown_report(verdict), "580.1"));
}

}  // namespace
}  // namespace warpgauge::ci
