// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/policy_coverage.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

results::Results counted_once() {
  return results_of(
      emulated(),
      {{.id = "a/b/1", .counters = {{"shared_load_requests", 8}, {"shared_load_wavefronts", 8}}}});
}

Policy gating(const std::string& metric) {
  return parse_policy("[[metric]]\nnames = [\"" + metric + "\"]\nclass = \"exact\"\n",
                      "policy.toml");
}

TEST(PolicyCoverage, AMisspeltMetricPassesNothing) {
  const results::Results side = counted_once();
  const Policy policy = gating("shared_load_wavefront");
  const GateVerdict verdict = compare(side, side, policy);
  EXPECT_EQ(verdict.exit_status, kExitNotMeasured);
  ASSERT_EQ(verdict.shortfalls.size(), 2u);
  EXPECT_NE(verdict.shortfalls[0].what.find("(did you mean 'shared_load_wavefronts'?)"),
            std::string::npos)
      << verdict.shortfalls[0].what;
  EXPECT_NE(verdict.shortfalls[1].what.find("policy.toml gates nothing"), std::string::npos);
  EXPECT_NE(conclusion(verdict).find("did you mean"), std::string::npos) << conclusion(verdict);
  EXPECT_EQ(without_baseline("none", side, policy).exit_status, kExitNotMeasured);
  // What was left out by a filter, say, has it.
  EXPECT_EQ(
      compare(side, side, policy, {.known_metrics = {"shared_load_wavefront"}}).shortfalls.size(),
      1u);
}

TEST(PolicyCoverage, APolicyUnderWhichNothingIsGatedPassesNothing) {
  const results::Results side = counted_once();
  const GateVerdict nothing = compare(side, side, gating("barriers"));
  EXPECT_EQ(nothing.exit_status, kExitNotMeasured);
  ASSERT_EQ(nothing.shortfalls.size(), 1u);
  EXPECT_EQ(without_baseline("none", side, gating("barriers"), {}, {Verdict::added}).exit_status,
            kExitNotMeasured);
  EXPECT_EQ(compare(side, side, gating("shared_load_requests")).exit_status, kExitPass);
  EXPECT_TRUE(without_baseline("none", side, gating("shared_load_requests")).shortfalls.empty());
}

}  // namespace
}  // namespace warpgauge::ci
