// SPDX-License-Identifier: Apache-2.0
#include "ci/report/explain_trace.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/policy/policy.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPolicy = R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.02
absolute_floor = 64
resolution = 32

[[metric]]
names = ["barriers", "visits"]
class = "exact"

[[override]]
benchmarks = "scan/*"
metrics = ["time"]
relative_floor = 0.08
reason = "two modes"

[[override]]
benchmarks = "scan/lookback/*"
metrics = ["visits"]
gate = false
reason = "polls"

[[override]]
benchmarks = "scan/lookback/1"
critical = true
)";

// 10000 to 10200 has a deviation of 158.1 and the pair one of 14.1: together, on five degrees of
// freedom, 141.6 of 10055, 1.41 %. With the new side's on four, 1.37 %, of which a session's mean
// has 0.718 %, on nine; 1.6 times as much is expected of it. The sessions' means, 10000 and 10110,
// deviate by 77.8, 0.774 %: 0.454 of what is expected, squared, on one degree of freedom. That
// makes a typical one of 1.42 (Smyth), more than the usual 1, and on eight: together 1.31 on
// nine, 1.32 %. p is that of Student's t at ln(1.1934 / 1.08) / (0.0132 · √(1/2 + 1)) on 1 / (1/9 +
// 1/9) degrees.
TEST(Derivation, TellsTheRulesTheFiguresAndTheDecision) {
  results::Results before =
      results_of(h200(), {{.id = "scan/lookback/1",
                           .times_ns = {10000, 10200, 9900, 10100, 9800},
                           .counters = {{"barriers", 3}, {"hits", 7}, {"visits", 1}}}});
  before.benchmarks.front().metrics.at("time").sessions.push_back({10100, 10120});
  const results::Results after =
      results_of(h200(), {{.id = "scan/lookback/1",
                           .times_ns = {12000, 12200, 11900, 12100, 11800},
                           .counters = {{"barriers", 4}, {"hits", 7}, {"visits", 2}}}});
  const GateVerdict verdict = compare(before, after, parse_policy(kPolicy, "policy.toml"));
  EXPECT_EQ(derivations(verdict, "scan/*"), R"(scan/lookback/1: regressed, critical
  time: regressed
    rule      policy.toml:2: statistical, lower is better, resolution 32
    override  policy.toml:13 'scan/*': two modes
    before    session 1, ns: 10000, 10200, 9900, 10100, 9800
              session 2, ns: 10100, 10120
    after     session 1, ns: 12000, 12200, 11900, 12100, 11800
    spread    between processes 1.41 % before, 1.32 % after
              between sessions 0.774 % on 1 degree of freedom of its own; with what the suite's say: 1.32 % on 4.5 degrees of freedom
    ratio     1.1934, interval 1.1544 to 1.2338 at level 90 %
              from the processes: standard error 0.833 %, 8.89 degrees of freedom
              from the sessions: standard error 1.61 %, 4.5 degrees of freedom
    p         of a ratio so far greater than the floor: 0.0012, adjusted over 1 test 0.0012
              of a ratio so far less than the floor: 1, adjusted over 1 test 1
    floor     8 %, the greater of
              8 % relative (policy.toml:13)
              64 absolute (policy.toml:2)
    decision  regressed: beyond the floor with an adjusted p below alpha 0.01
  barriers: regressed
    rule      policy.toml:9: exact, lower is better
    before    session 1: 3
    after     session 1: 4
    decision  regressed: an exact metric has no tolerance
  hits: shown, never gated
    rule      no [[metric]] of policy.toml names it
    before    session 1: 7
    after     session 1: 7
  visits: shown, never gated
    rule      policy.toml:9: exact, lower is better
    override  policy.toml:19 'scan/lookback/*': polls
    before    session 1: 1
    after     session 1: 2
)");
}

TEST(Derivation, WhatWasNotComparedSaysWhy) {
  const GateVerdict verdict =
      compare(results_of(emulated(), {{.id = "a/gone/1", .counters = {{"barriers", 3}}}}),
              results_of(emulated(), {{.id = "a/new/1", .counters = {{"barriers", 3}}}}),
              parse_policy(kPolicy, "policy.toml"));
  EXPECT_EQ(derivations(verdict, "*"),
            "a/gone/1: missing\n  in the baseline, but not in the new results\n"
            "a/new/1: new\n  has no baseline\n");
}

TEST(Derivation, AMetricThatOneSideLacksIsNotTheSame) {
  const Policy policy = parse_policy(
      "[[metric]]\nnames = [\"barriers\", \"registers\", \"visits\"]\nclass = \"exact\"\noptional "
      "= "
      "true\n",
      "policy.toml");
  Measured before{.id = "a/b/1", .counters = {{"barriers", 3}, {"registers", 32}}};
  before.machine_code = {kernel_code("kernel", 'a')};
  Measured after{.id = "a/b/1", .counters = {{"visits", 5}, {"registers", 40}}};
  after.not_measured = {{"barriers", "no permission"}};
  after.machine_code = {kernel_code("kernel", 'b', 40)};
  after.machine_code.front().architecture = "sm_80";
  const GateVerdict verdict =
      compare(results_of(h200(), {before}), results_of(h200(), {after}), policy);
  EXPECT_EQ(verdict.benchmarks.front().verdict, Verdict::same);
  EXPECT_EQ(derivations(verdict, "*"), R"(a/b/1: same
  barriers: not compared
    rule      policy.toml:1: exact, lower is better, optional
    before    session 1: 3
    after     not there
    decision  none: there is nothing to compare, and the metric is optional: no permission
  registers: not compared
    rule      policy.toml:1: exact, lower is better, optional
    before    session 1: 32
    after     session 1: 40
    decision  none: the two sides were compiled for other architectures or by other compilers
  visits: not compared
    rule      policy.toml:1: exact, lower is better, optional
    before    not there
    after     session 1: 5
    decision  none: the baseline has nothing to compare with, and the metric is optional
  lost_architectures: shown, never gated
    rule      no [[metric]] of policy.toml names it
    before    session 1: 0
    after     session 1: 1
)");
}

TEST(Derivation, APatternThatMatchesNothingIsWrongUsage) {
  const results::Results results =
      results_of(emulated(), {{.id = "scan/lookback/1", .counters = {{"barriers", 3}}}});
  const GateVerdict verdict = compare(results, results, parse_policy(kPolicy, "policy.toml"));
  EXPECT_NE(derivations(verdict, "scan/lookback/1"), "");
  try {
    (void)derivations(verdict, "scan/lokback/1");
    FAIL() << "matched";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitUsage);
    EXPECT_EQ(std::string(error.what()),
              "--explain 'scan/lokback/1' matches no benchmark (did you mean 'scan/lookback/1'?); "
              "see warpgauge --help");
  }
}

}  // namespace
}  // namespace warpgauge::ci
