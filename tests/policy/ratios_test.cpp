// SPDX-License-Identifier: Apache-2.0
// [[ratio]]: how a rule is written, which benchmarks it speaks of, and what an edit of one is.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "ci/policy/known_metrics.hpp"
#include "ci/policy/policy.hpp"
#include "ci/policy/policy_diff.hpp"
#include "ci/support/errors.hpp"
#include "tests/policy/small_policies.hpp"

namespace warpgauge::ci {
namespace {

std::string ratio_text(const std::string& rule, const std::string& rest = "") {
  return "[[ratio]]\nrule = \"" + rule + "\"\n" + rest + "\n";
}

Policy::Limit ratio(const std::string& rule) { return policy_of(ratio_text(rule)).limits.front(); }

TEST(Ratios, ARuleNamesTwoVariantsAndAFactor) {
  const Policy::Limit most = ratio("padded <= 0.6 * shared");
  EXPECT_EQ(most.variant, "padded");
  EXPECT_EQ(most.against, "shared");
  EXPECT_EQ(most.bound, Policy::Bound::most);
  EXPECT_EQ(most.value, 0.6);
  EXPECT_EQ(most.metric, "time");
  EXPECT_EQ(most.subject(), "time of padded against shared");
  const Policy::Limit least = ratio("naive>=2*padded");
  EXPECT_EQ(least.bound, Policy::Bound::least);
  EXPECT_EQ(least.value, 2);
  EXPECT_EQ(ratio("BM_copy<float> <= BM_copy<int>").value, 1);
  EXPECT_EQ(ratio("BM_copy<float> <= BM_copy<int>").variant, "BM_copy<float>");
}

TEST(Ratios, AnotherRuleIsRefusedWithAnExample) {
  for (const char* const rule :
       {"padded < 0.6 * shared", "padded", "<= shared", "padded <= ", "padded <= 0 * shared",
        "padded <= -1 * shared", "padded <= 0.6 shared", "padded <= nan * shared",
        "padded <= 0.6x * shared", "a b <= c", "padded <= 1 * 2 * shared", "padded/ <= shared"}) {
    EXPECT_EQ(error_of(ratio_text(rule)),
              std::string("p.toml:5:8: rule '") + rule +
                  "' is not NAME <= FACTOR * NAME, as in padded <= 0.6 * shared; >= is possible, "
                  "too, and a name is a part of ids between slashes");
  }
  EXPECT_EQ(error_of(ratio_text("shared <= 0.6 * shared")),
            "p.toml:5:8: rule 'shared <= 0.6 * shared' holds 'shared' against itself; name two "
            "variants");
  EXPECT_EQ(error_of("[[ratio]]\nmetric = \"time\"\n"),
            "p.toml:4:1: [[ratio]] needs a rule, as in \"padded <= 0.6 * shared\"");
  EXPECT_EQ(error_of(ratio_text("a <= b", "most = 1")),
            "p.toml:6:1: unknown key 'most'; known here: rule, metric, benchmarks, devices, "
            "reason, expires");
}

TEST(Ratios, ThePartnerHasTheOtherVariantInThePlaceOfTheFirst) {
  const Policy::Limit rule = ratio("padded <= 0.6 * shared");
  EXPECT_EQ(rule.counterpart("transpose/padded/256x192"), "transpose/shared/256x192");
  EXPECT_EQ(rule.counterpart("padded/1"), "shared/1");
  EXPECT_EQ(rule.counterpart("transpose/padded"), "transpose/shared");
  EXPECT_EQ(rule.counterpart("transpose/padded_more/1"), std::nullopt);
  EXPECT_EQ(rule.counterpart("transpose/shared/1"), std::nullopt);
  EXPECT_EQ(ratio("a/padded <= b/shared").counterpart("x/a/padded/1"), "x/b/shared/1");
}

TEST(Ratios, HoldOfTheirBenchmarksAndDevicesAlone) {
  const Policy policy = policy_of(ratio_text(
      "padded <= 0.6 * shared", "benchmarks = \"transpose/*\"\ndevices = [\"nvidia-h200\"]"));
  EXPECT_EQ(policy.limits_for("transpose/padded/1", "nvidia-h200").size(), 1u);
  EXPECT_EQ(policy.limits_for("transpose/shared/1", "nvidia-h200").size(), 0u);
  EXPECT_EQ(policy.limits_for("other/padded/1", "nvidia-h200").size(), 0u);
  EXPECT_EQ(policy.limits_for("transpose/padded/1", "emulated").size(), 0u);
}

TEST(Ratios, OfTheSameVariantsTheLastWinsAndStandsBesideALimit) {
  const Policy policy =
      policy_of(ratio_text("padded <= 0.6 * shared") +
                ratio_text("padded <= 0.9 * shared", "benchmarks = \"a/*\"") +
                ratio_text("padded <= 0.5 * naive") + "[[limit]]\nmetric = \"time\"\nmost = 9\n");
  const auto limits = policy.limits_for("a/padded/1", "");
  ASSERT_EQ(limits.size(), 3u);
  EXPECT_EQ(limits[2]->value, 0.9);
  EXPECT_EQ(error_of(ratio_text("a <= b") + ratio_text("a <= 2 * b")),
            "p.toml:7:1: [[ratio]] has the same variants, metric, benchmarks and devices as line "
            "4; keep one");
}

TEST(Ratios, OneThatFindsNoTwoBenchmarksIsAnError) {
  const auto idle = [](const std::string& text, const std::vector<std::string>& ids) {
    return idle_pattern(policy_of(text), ids);
  };
  const std::vector<std::string> ids{"transpose/padded/1", "transpose/shared/1"};
  EXPECT_EQ(idle(ratio_text("padded <= 0.6 * shared"), ids), "");
  EXPECT_EQ(idle(ratio_text("paded <= 0.6 * shared"), ids),
            "p.toml:4:1: [[ratio]] of time of paded against shared finds no id with 'paded' "
            "between slashes (did you mean 'padded'?), in these results and all baselines; fix the "
            "rule, or remove it");
  EXPECT_EQ(idle(ratio_text("padded <= 0.6 * sharde"), ids),
            "p.toml:4:1: [[ratio]] of time of padded against sharde finds transpose/padded/1, but "
            "no transpose/sharde/1 (did you mean 'transpose/shared/1'?), in these results and all "
            "baselines; fix the rule, or remove it");
  EXPECT_EQ(idle(ratio_text("padded <= 0.6 * shared", "benchmarks = \"trnspose/*\""), ids),
            "p.toml:4:1: [[ratio]] of 'trnspose/*' matches no benchmark in these results or any "
            "baseline (did you mean 'transpose/padded/1' or 'transpose/shared/1'?); fix the "
            "pattern, or remove it");
}

TEST(Ratios, ANameOfAMetricThatNothingHasIsUnknown) {
  const auto unknown = unknown_metrics(
      policy_of(ratio_text("padded <= 0.6 * shared", "metric = \"tiem\"")), {"time"});
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_NE(unknown.front().find("or remove the [[ratio]]"), std::string::npos) << unknown.front();
}

TEST(Ratios, AnEditOfOneIsNamed) {
  const std::vector<std::string> ids{"transpose/padded/1", "transpose/shared/1"};
  const auto edits = [&](const std::string& before, const std::string& after) {
    std::string text;
    for (const PolicyEdit& edit :
         policy_edits(policy_of(before), policy_of(after), ids, "2026-11-26")) {
      text += to_string(edit.kind) + ": " + edit.what + "\n";
    }
    return text;
  };
  EXPECT_EQ(edits(ratio_text("padded <= 0.6 * shared"), ratio_text("padded <= 0.8 * shared")),
            "loosens: time of padded against shared of transpose/padded/1: at most 0.6 → at most "
            "0.8\n");
  EXPECT_EQ(edits(ratio_text("padded <= 0.6 * shared"), ""),
            "loosens: time of padded against shared of transpose/padded/1: at most 0.6 → no "
            "limit\n");
}

TEST(Mistakes, EachIsSaidWithItsPlace) {
  const PolicyReading reading =
      read_with_mistakes("aplha = 0.1\nbeta = 2\n" + std::string(kMetric) + "tolerance = 1\n" +
                             ratio_text("padded < shared") + "[[limit]]\nmetric = \"registers\"\n" +
                             "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"tmie\"]\n",
                         "p.toml");
  ASSERT_EQ(reading.mistakes.size(), 6u);
  EXPECT_TRUE(
      reading.mistakes[0].starts_with("p.toml:1:1: unknown key 'aplha' (did you mean "
                                      "'alpha'?)"));
  EXPECT_TRUE(reading.mistakes[1].starts_with("p.toml:2:8: beta must lie"));
  EXPECT_TRUE(reading.mistakes[2].starts_with("p.toml:6:1: unknown key 'tolerance'"));
  EXPECT_TRUE(reading.mistakes[3].starts_with("p.toml:10:1: [[limit]] of 'registers' needs"))
      << reading.mistakes[3];
  EXPECT_TRUE(reading.mistakes[4].starts_with("p.toml:8:8: rule 'padded < shared'"));
  EXPECT_TRUE(reading.mistakes[5].starts_with("p.toml:14:12: no [[metric]] names 'tmie'"));
  EXPECT_EQ(reading.policy.metrics.size(), 1u);
}

TEST(Mistakes, OfARightPolicyThereAreNone) {
  EXPECT_TRUE(read_with_mistakes(kMetric, "p.toml").mistakes.empty());
  EXPECT_EQ(read_with_mistakes("a = = 1", "p.toml").mistakes.size(), 1u);
  EXPECT_EQ(read_with_mistakes("", "p.toml").mistakes.size(), 1u);
}

}  // namespace
}  // namespace warpgauge::ci
