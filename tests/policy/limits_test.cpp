// SPDX-License-Identifier: Apache-2.0
// [[limit]]: what is read and refused, which holds of a benchmark, and what an edit of one is.
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

std::string limit_text(const std::string& rest, const std::string& metric = "registers") {
  return "[[limit]]\nmetric = \"" + metric + "\"\n" + rest + "\n";
}

std::optional<double> value(const Policy& policy, const std::string& id,
                            const std::string& device = "nvidia-h200",
                            Policy::Bound bound = Policy::Bound::most) {
  for (const Policy::Limit* limit : policy.limits_for(id, device)) {
    if (limit->bound == bound) return limit->value;
  }
  return std::nullopt;
}

TEST(Limits, TheLastOfAMetricAndABoundWins) {
  const Policy policy =
      policy_of(limit_text("most = 64") + limit_text("least = 8") +
                limit_text("most = 128\nbenchmarks = \"gemm/*\"\nreason = \"tiles\""));
  EXPECT_EQ(value(policy, "scan/a/1"), 64);
  EXPECT_EQ(value(policy, "gemm/a/1"), 128);
  EXPECT_EQ(value(policy, "gemm/a/1", "", Policy::Bound::least), 8);
  EXPECT_EQ(policy.limits_for("gemm/a/1", "").front()->place.line, 10);
}

TEST(Limits, OfADeviceHoldThereAndWhereTheDeviceIsNotKnown) {
  const Policy policy = policy_of(limit_text("most = 0\ndevices = [\"nvidia-h200\"]"));
  EXPECT_EQ(value(policy, "a/b/1", "nvidia-h200"), 0);
  EXPECT_EQ(value(policy, "a/b/1", ""), 0);
  EXPECT_EQ(value(policy, "a/b/1", "emulated"), std::nullopt);
}

TEST(Limits, AnOverrideThatGatesLessLiftsThem) {
  const Policy policy = policy_of(
      limit_text("most = 64") +
      "[[override]]\nbenchmarks = \"*/cub/*\"\ngate = false\nreason = \"not ours\"\n"
      "[[override]]\nbenchmarks = \"scan/cub/*\"\nmetrics = [\"registers\"]\ngate = true\n"
      "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"registers\"]\noptional = true\nreason = "
      "\"r\"\n");
  EXPECT_EQ(value(policy, "reduce/cub/1"), std::nullopt);
  EXPECT_EQ(value(policy, "scan/cub/1"), 64);
  EXPECT_TRUE(policy.may_be_absent("a/b/1", "registers"));
  EXPECT_FALSE(policy.may_be_absent("b/b/1", "registers"));
}

TEST(Limits, AloneAreAPolicy) {
  EXPECT_EQ(parse_policy(limit_text("most = 64"), "p.toml").limits.size(), 1u);
}

TEST(Limits, WhatSaysTooLittleOrTooMuchIsRefused) {
  EXPECT_EQ(error_of(limit_text("")),
            "p.toml:4:1: [[limit]] of 'registers' needs either most or least");
  EXPECT_EQ(error_of(limit_text("most = 1\nleast = 1")),
            "p.toml:4:1: [[limit]] of 'registers' needs either most or least, not both; write two "
            "of them");
  EXPECT_EQ(error_of("[[limit]]\nmost = 1\n"), "p.toml:4:1: [[limit]] needs a metric");
  EXPECT_EQ(error_of(limit_text("most = -1")), "p.toml:6:8: most must be a number of at least 0");
  EXPECT_EQ(error_of(limit_text("mots = 1")),
            "p.toml:6:1: unknown key 'mots' (did you mean 'most'?); known here: metric, most, "
            "least, benchmarks, devices, reason, expires");
}

TEST(Limits, APatternThatIsFarTooLongIsRefused) {
  const std::string pattern = "benchmarks = \"" + std::string(4097, '*') + "\"";
  const char* const error =
      "p.toml:7:14: benchmarks is a pattern of 4097 bytes; at most 4096 are allowed";
  EXPECT_EQ(error_of(limit_text("most = 1\n" + pattern)), error);
}

TEST(Limits, TwoForTheSameAreRefused) {
  const std::string first = limit_text("most = 64");
  EXPECT_EQ(error_of(first + limit_text("most = 32")),
            "p.toml:7:1: [[limit]] has the same metric, benchmarks and devices as line 4; keep "
            "one");
  EXPECT_EQ(error_of(first + limit_text("most = 32\nexpires = 2026-12-31")), "accepted");
  EXPECT_EQ(error_of(first + limit_text("most = 32", "barriers")), "accepted");
}

TEST(Limits, AnExpiredOneNoLongerCountsAndThatIsNoted) {
  const Policy policy = policy_of(limit_text("most = 64\nexpires = 2026-12-31"));
  EXPECT_EQ(value(on_day(policy, "2026-12-31"), "a/b/1"), 64);
  const Policy after = on_day(policy, "2027-01-01");
  EXPECT_EQ(value(after, "a/b/1"), std::nullopt);
  EXPECT_EQ(after.notes,
            (std::vector<std::string>{"p.toml:4: [[limit]] of registers has expired on 2026-12-31 "
                                      "and no longer counts; remove or renew it"}));
}

TEST(Limits, OneThatMatchesNoBenchmarkIsIdle) {
  const Policy policy = policy_of(limit_text("most = 64\nbenchmarks = \"scan/lokback/*\""));
  EXPECT_EQ(idle_pattern(policy, {"scan/lookback/1"}),
            "p.toml:4:1: [[limit]] of 'scan/lokback/*' matches no benchmark in these results or "
            "any baseline (did you mean 'scan/lookback/1'?); fix the pattern, or remove it");
  EXPECT_EQ(idle_pattern(policy_of(limit_text("most = 64")), {"scan/lookback/1"}), "");
}

TEST(Limits, OneForADeviceThatNothingIsOfIsIdle) {
  const Policy policy = policy_of(limit_text("most = 64\ndevices = [\"emulate\"]"));
  EXPECT_EQ(idle_device(policy, {"nvidia-h200", "emulated"}),
            "p.toml:4:1: [[limit]] of registers is for 'emulate', and neither these results nor "
            "any baseline are from it (did you mean 'emulated'?); fix the name, or remove it");
  EXPECT_EQ(idle_device(policy, {"emulate"}), "");
  EXPECT_EQ(idle_device(policy_of(limit_text("most = 64")), {}), "");
  EXPECT_EQ(error_of(limit_text("most = 64\ndevices = [\"NVIDIA H200\"]")),
            "p.toml:7:11: devices: 'NVIDIA H200' is no device's key, as a baseline's folder is "
            "named; write 'nvidia-h200'");
}

TEST(Limits, OfAMisspeltMetricIsNamedWithTheNearest) {
  const auto unknown = [](const std::string& metric) {
    return unknown_metrics(policy_of(limit_text("most = 64", metric)), {"time", "hits"});
  };
  EXPECT_EQ(unknown("hits"), std::vector<std::string>());
  EXPECT_EQ(unknown("share_of_ceiling"), std::vector<std::string>());
  EXPECT_EQ(unknown("registers"), std::vector<std::string>()) << "measured on some machine";
  EXPECT_EQ(
      unknown("regsiters"),
      (std::vector<std::string>{"p.toml:4:1: the policy limits 'regsiters', which was not measured "
                                "and is in no baseline (did you mean 'registers'?); there are "
                                "hits, time; fix the name, or remove the [[limit]]"}));
}

std::vector<std::string> limit_edits(const std::string& before, const std::string& after) {
  std::vector<std::string> lines;
  for (const PolicyEdit& edit : policy_edits(policy_of(before), policy_of(after),
                                             {"scan/a/1", "scan/b/1", "gemm/a/1"}, "2026-11-21")) {
    lines.push_back(to_string(edit.kind) + ": " + edit.what);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LimitEdits, AddedMovedAndRemoved) {
  const std::string of_64 = limit_text("most = 64\nreason = \"two blocks\"");
  EXPECT_EQ(limit_edits(of_64, of_64), Lines{});
  EXPECT_EQ(
      limit_edits("", of_64),
      Lines{"tightens: registers of all benchmarks: no limit → at most 64, reason: two blocks"});
  EXPECT_EQ(limit_edits(of_64, limit_text("most = 72")),
            Lines{"loosens: registers of all benchmarks: at most 64 → at most 72"});
  EXPECT_EQ(limit_edits(of_64, ""),
            Lines{"loosens: registers of all benchmarks: at most 64 → no limit"});
  EXPECT_EQ(limit_edits(limit_text("least = 0.85", "share_of_ceiling"),
                        limit_text("least = 0.8", "share_of_ceiling")),
            Lines{"loosens: share_of_ceiling of all benchmarks: at least 0.85 → at least 0.8"});
}

TEST(LimitEdits, OfSomeBenchmarksAndDevices) {
  const std::string all = limit_text("most = 64");
  EXPECT_EQ(limit_edits(all, all + limit_text("most = 128\nbenchmarks = \"scan/*\"")),
            Lines{"loosens: registers of scan/*: at most 64 → at most 128"});
  EXPECT_EQ(limit_edits(all, all + limit_text("most = 32\ndevices = [\"nvidia-h200\"]")),
            Lines{"tightens: registers on nvidia-h200 of all benchmarks: at most 64 → at most 32"});
  EXPECT_EQ(
      limit_edits(all, all + "[[override]]\nbenchmarks = \"gemm/*\"\nmetrics = [\"registers\"]\n"
                             "gate = false\nreason = \"r\"\n"),
      Lines{"loosens: registers of gemm/*: at most 64 → no limit"});
}

TEST(LimitEdits, OneThatEndsLaterLoosensWhatFollows) {
  const auto until = [](const std::string& day) {
    return limit_text("most = 64\nexpires = " + day);
  };
  EXPECT_EQ(limit_edits(limit_text("most = 64"), until("2026-12-01")),
            Lines{"loosens: registers of all benchmarks: at most 64 → no limit, after 2026-12-01"});
}

}  // namespace
}  // namespace warpgauge::ci
