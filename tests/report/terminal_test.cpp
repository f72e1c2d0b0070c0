// SPDX-License-Identifier: Apache-2.0
// The verdict on a terminal, to the letter, and foreign text in it and in the summary.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <regex>
#include <sstream>
#include <string>

#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/verdict.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"

namespace warpgauge::ci {
namespace {

TEST(Terminal, ShowsFiguresAndCauses) {
  EXPECT_EQ(terminal_report(everything()),
            R"(NVIDIA H200: baselines/nvidia-h200 → results/results.json
edits since 4f1c0de2b9: approves: transpose/padded/4096x4096 (nvidia-h200): time +3.47 %, barriers – → 2, reason: the padding costs memory; removes: scan/gone/1024 (emulated); loosens: time of transpose/*: relative_floor 4 % → 10 %; unclear: nvidia-h100 at the merge base: device.json: schema is not 2

  failed        scan/plain/1024
      crashed: the process died of SIGSEGV in the time pass
  missing       scan/old/1024
      in the baseline, but not in the new results
  regressed     transpose/padded/4096x4096
      time  37.25 µs → 67.81 µs  +82.0 %  ┊│·····················━  +81.2 to +82.9 %, floor 2.0 %
      shared_load_wavefronts 524.3 k → 16.8 M (×32.0): 1 → 32 a request at kernels/transpose.cuh:31: out[i] = tile[x][j];
      also shown: occupancy -50.0 %
  inconclusive  reduction/tree/1000
      time  1.888 µs → 1.920 µs  +1.69 %
      -1.0 to +4.6 % may be worse than +3.4 %
  new           transpose/new/64x64
      has no baseline
  improved      reduction/a|b/7
      shared_load_wavefronts  1,000 → 990  -1.00 %

  ━ interval of the change, │ no change, ┊ floor
  not worse: 1 benchmark
  same: 2 benchmarks

note: driver differs from the baseline's: '580.1' → '590.1'
not measured: 1 failed, 1 missing, 1 regressed, 1 inconclusive, 1 new, 1 improved, 1 not worse, 2 same of 9 benchmarks. Fix what failed.
)");
}

TEST(Terminal, AQuietOneHasWhatDoesNotPassAndTheLastLine) {
  const std::string whole = terminal_report(everything());
  const std::string quiet = terminal_outcome(everything());
  for (const char* gone : {"baselines/nvidia-h200 →", "edits since", "note:",
                           "not worse: 1 benchmark", "improved      ", "same: 2 benchmarks"}) {
    EXPECT_NE(whole.find(gone), std::string::npos) << gone;
    EXPECT_EQ(quiet.find(gone), std::string::npos) << gone << " in " << quiet;
  }
  for (const char* stays : {"failed        scan/plain/1024", "missing       scan/old/1024",
                            "regressed     transpose/padded", "inconclusive  reduction/tree"}) {
    EXPECT_NE(quiet.find(stays), std::string::npos) << stays << " in " << quiet;
  }
  EXPECT_EQ(quiet.substr(quiet.rfind("\nnot measured: ")),
            whole.substr(whole.rfind("\nnot measured: ")));
  GateVerdict nothing;
  nothing.benchmarks = {{.id = "a/b/1", .verdict = Verdict::same, .message = "", .metrics = {}}};
  EXPECT_EQ(terminal_outcome(nothing), "pass: 1 same of 1 benchmark.\n");
}

std::string last_line(GateVerdict verdict) {
  verdict.exit_status = exit_status(verdict);
  std::string report = terminal_report(verdict);
  report.pop_back();
  return report.substr(report.rfind('\n') + 1);
}

BenchmarkVerdict faster(const std::string& id, double ratio) {
  MetricVerdict time;
  time.metric = results::kTimeMetric;
  time.verdict = Verdict::improved;
  time.before = 1000;
  time.after = 1000 * ratio;
  return {.id = id, .verdict = Verdict::improved, .message = "", .metrics = {time}};
}

TEST(Terminal, LongLinesGoOnBelowTheirBeginningAsWideAsTheTerminal) {
  const GateVerdict verdict = everything();
  const std::string whole = terminal_report(verdict);
  const auto without_breaks = [](const std::string& text) {
    return std::regex_replace(text, std::regex("\\n? +"), " ");
  };
  for (const std::size_t columns : {std::size_t{60}, std::size_t{80}, std::size_t{140}}) {
    const std::string report = terminal_report(verdict, {.columns = columns});
    EXPECT_EQ(without_breaks(report), without_breaks(whole));
    std::istringstream lines(
        report.substr(report.find("\n\n"), report.rfind("\n\n") - report.find("\n\n")));
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("      ") && line.find(' ', 8) != line.npos) {
        EXPECT_LE(display_width(line), columns) << line;
      }
    }
    EXPECT_EQ(report.substr(report.rfind("\nnot measured: ")),
              whole.substr(whole.rfind("\nnot measured: ")))
        << "a command that has breaks cannot be copied";
  }
  EXPECT_NE(terminal_report(verdict, {.columns = 60}), whole);
}

TEST(Terminal, LastLineIsTheOutcomeAndTheNextStep) {
  GateVerdict verdict;
  const auto with = [&](std::vector<Verdict> verdicts) {
    verdict.benchmarks.clear();
    for (const Verdict each : verdicts) {
      verdict.benchmarks.push_back({.id = "x", .verdict = each, .message = "", .metrics = {}});
    }
    return last_line(verdict);
  };
  using enum Verdict;
  EXPECT_EQ(with({same}), "pass: 1 same of 1 benchmark.");
  EXPECT_EQ(with({regressed, same}),
            "regressed: 1 regressed, 1 same of 2 benchmarks. Fix the kernel.");
  verdict.after_session.emplace().device.kind = results::DeviceKind::cpu;
  EXPECT_EQ(with({regressed}), "regressed: 1 regressed of 1 benchmark. Fix the code.");
  verdict.after_session.reset();
  EXPECT_EQ(with({missing}),
            "not measured: 1 missing of 1 benchmark. Bring back what is missing, or leave out what "
            "was removed on purpose by a --filter that matches the others alone.");
  EXPECT_EQ(with({added}), "no verdict: 1 new of 1 benchmark. Let pass what is new: --allow new.");
  verdict.approve_command = "warpgauge approve r.json";
  EXPECT_EQ(with({improved}),
            "pass: 1 improved of 1 benchmark. Keep the gain: warpgauge approve r.json");
  // What another compiler gains, the next build may lose.
  verdict.before_session.emplace().toolchain.host_compiler = "GNU 12.2.0";
  verdict.after_session.emplace().toolchain.host_compiler = "Clang 14.0.6";
  EXPECT_EQ(with({improved}),
            "pass: 1 improved of 1 benchmark. It was built otherwise: host compiler 'GNU 12.2.0' → "
            "'Clang 14.0.6'. If that is to stay, keep the gain: warpgauge approve r.json");
  verdict.after_session = verdict.before_session;
  verdict.benchmarks = {faster("a", 0.949), faster("b", 0.98)};
  EXPECT_EQ(last_line(verdict),
            "pass: 2 improved of 2 benchmarks. 2 benchmarks are faster than the baseline, by 5.1 % "
            "at most: until that is approved, as much may be lost unnoticed. Keep the gain: "
            "warpgauge approve r.json");
  verdict.benchmarks.pop_back();
  EXPECT_NE(last_line(verdict).find(" 1 benchmark is faster than the baseline, by 5.1 %: until"),
            std::string::npos)
      << last_line(verdict);
  EXPECT_EQ(with({regressed}),
            "regressed: 1 regressed of 1 benchmark. Fix the kernel, or approve the change: "
            "warpgauge approve r.json");
  EXPECT_EQ(with({missing}),
            "not measured: 1 missing of 1 benchmark. Bring back what is missing, or remove it: "
            "warpgauge approve r.json --remove x");
  verdict.benchmarks.front().id = "bench/scale(float*, int)";
  EXPECT_TRUE(last_line(verdict).ends_with("r.json --remove 'bench/scale(float*, int)'"))
      << last_line(verdict);
  EXPECT_EQ(with({inconclusive}),
            "no verdict: 1 inconclusive of 1 benchmark. Each says what would settle it.");
  verdict.no_baseline = "baselines has no baseline for NVIDIA H200 (nor for any device)";
  EXPECT_EQ(with({added, added}),
            "no verdict: baselines has no baseline for NVIDIA H200 (nor for any device): 2 new of "
            "2 benchmarks. Make the baseline: warpgauge approve r.json");
}

TEST(Terminal, WhatRegressedIsNotApprovedBesideWhatIsMissingWithoutAWord) {
  GateVerdict verdict;
  verdict.approve_command = "warpgauge approve r.json";
  const auto with = [&](std::vector<Verdict> verdicts) {
    verdict.benchmarks.clear();
    for (const Verdict each : verdicts) {
      verdict.benchmarks.push_back(
          {.id = to_string(each), .verdict = each, .message = "", .metrics = {}});
    }
    const std::string line = last_line(verdict);
    return line.substr(line.find(". ") + 2);
  };
  using enum Verdict;
  EXPECT_EQ(with({missing, regressed, added}),
            "Fix the kernel and bring back what is missing. If all of it is intended, this "
            "approves what regressed and what is new, and removes what is missing: warpgauge "
            "approve r.json --remove missing");
  EXPECT_EQ(with({missing, regressed}),
            "Fix the kernel and bring back what is missing. If all of it is intended, this "
            "approves what regressed, and removes what is missing: warpgauge approve r.json "
            "--remove missing");
  EXPECT_EQ(with({missing, added}),
            "Bring back what is missing, or remove it: warpgauge approve r.json --remove missing");
  EXPECT_EQ(with({regressed, added}),
            "Fix the kernel, or approve the change and what is new: warpgauge approve r.json");
  verdict.approve_command.clear();
  EXPECT_EQ(with({missing, regressed, added}),
            "Fix the kernel and bring back what is missing, or leave out what was removed on "
            "purpose by a --filter that matches the others alone.");
  // Approving leaves a limit where it is.
  verdict.approve_command = "warpgauge approve r.json";
  verdict.benchmarks[1].metrics.resize(1);
  verdict.benchmarks[1].metrics[0].verdict = regressed;
  verdict.benchmarks[1].metrics[0].by_limit = true;
  EXPECT_TRUE(last_line(verdict).ends_with(
      "Fix the kernel and bring back what is missing, or move the limit in the policy and "
      "approve then."))
      << last_line(verdict);
}

TEST(Terminal, SaysWhyWhatIsOnlyShownHasNoFigureBefore) {
  GateVerdict verdict;
  MetricVerdict wall;
  wall.metric = "wall_time_ns";
  wall.metric_class = MetricClass::shown;
  wall.after = 36'610;
  verdict.benchmarks = {{.id = "a", .verdict = Verdict::same, .message = "", .metrics = {wall}}};
  const auto shown = [&] { return terminal_report(verdict, {.verbose = true}); };
  EXPECT_NE(shown().find("wall_time_ns  – → 36.61 µs  only shown, not gated: no figure before\n"),
            std::string::npos)
      << shown();
  verdict.benchmarks[0].metrics[0].before = 18'305;
  EXPECT_NE(shown().find("wall_time_ns  18.30 µs → 36.61 µs  ×2.0  only shown, not gated\n"),
            std::string::npos)
      << shown();
  verdict.benchmarks[0].metrics[0].metric_class = MetricClass::statistical;
  EXPECT_EQ(shown().find("only shown"), std::string::npos) << shown();
}

TEST(Terminal, WithoutABaselineNewBenchmarksAreFolded) {
  GateVerdict verdict;
  verdict.no_baseline = "none";
  for (int i = 0; i < 1'200; ++i) {
    verdict.benchmarks.push_back(
        {.id = std::to_string(i), .verdict = Verdict::added, .message = "x", .metrics = {}});
  }
  EXPECT_NE(terminal_report(verdict).find("  new: 1,200 benchmarks\n"), std::string::npos);
  EXPECT_LT(terminal_report(verdict).size(), 500u);
}

TEST(Terminal, TextFromElsewhereIsNeitherMarkupNorCommands) {
  GateVerdict verdict;
  verdict.benchmarks.push_back({.id = "a`b\n\x1b[31m",
                                .verdict = Verdict::failed,
                                .message = "<img src=x> @team [l](u)\nnext|cell",
                                .metrics = {}});
  const std::string markdown = markdown_report(verdict);
  EXPECT_NE(markdown.find("| failed | a\\`b  \\[31m |"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("&lt;img src=x&gt; @&#8203;team \\[l\\](u) next\\|cell |"),
            std::string::npos)
      << markdown;
  EXPECT_EQ(terminal_report(verdict).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::ci
