// SPDX-License-Identifier: Apache-2.0
#include "tests/helpers/sample_verdict.hpp"

#include <optional>
#include <string>
#include <vector>

#include "ci/verdict/exit_status.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {

results::Session sample_session(const std::string& created, const std::string& driver) {
  results::Session session;
  session.created = created;
  session.device = h200();
  session.device.driver = driver;
  session.toolchain = {"g++ 12", "13.0", "Release", "0.1.0"};
  session.source = {"0123456789abcdef", false};
  session.processes = 2;
  return session;
}

GateVerdict everything() {
  GateVerdict verdict;
  verdict.before = "baselines/nvidia-h200";
  verdict.after = "results/results.json";
  verdict.version = "0.1.0";
  verdict.device = "NVIDIA H200";
  verdict.before_session = sample_session("2026-11-01T10:00:00Z", "580.1");
  verdict.after_session = sample_session("2026-11-21T04:19:54Z", "590.1");
  verdict.ceilings = {{"copy", 4.32e12}, {"read", 4.589e12}};
  verdict.notes = {"driver differs from the baseline's: '580.1' → '590.1'"};
  verdict.edits =
      Edits{"4f1c0de2b9a7784e0d4c6f1be3a95c7c2d8e6a10",
            {{BaselineEdit::Kind::approves,
              "nvidia-h200",
              "transpose/padded/4096x4096",
              {{"time", 36000, 37250}, {"barriers", std::nullopt, 2}},
              "the padding costs memory",
              "Someone <someone@example.com>"},
             {BaselineEdit::Kind::removes, "emulated", "scan/gone/1024", {}, "", ""}},
            {{PolicyEdit::Kind::loosens, "time of transpose/*: relative_floor 4 % → 10 %"}},
            {"nvidia-h100 at the merge base: device.json: schema is not 2"}};
  verdict.approve_command = "warpgauge approve results/results.json --baselines baselines";
  verdict.approved_revision = "0123456789abcdef0123456789abcdef01234567";
  const auto add = [&](const char* id, Verdict each, const char* message) -> BenchmarkVerdict& {
    BenchmarkVerdict& benchmark = verdict.benchmarks.emplace_back();
    benchmark.id = id;
    benchmark.verdict = each;
    benchmark.message = message;
    return benchmark;
  };
  add("scan/plain/1024", Verdict::failed, "crashed: the process died of SIGSEGV in the time pass");
  add("scan/old/1024", Verdict::missing, "in the baseline, but not in the new results");

  results::SourceLine conflicting =
      source_line(31, results::Access::shared_load, 524288, 16777216, "out[i] = tile[x][j];");
  conflicting.column = 12;
  conflicting.ideal_wavefronts = 524288;
  BenchmarkVerdict& slower = add("transpose/padded/4096x4096", Verdict::regressed, "");
  MetricVerdict time;
  time.metric = "time";
  time.metric_class = MetricClass::statistical;
  time.verdict = Verdict::regressed;
  time.before = 37250;
  time.after = 67812.5;
  time.low = 1.8123;
  time.high = 1.8288;
  time.p = 3.2e-12;
  time.floor = 0.02;
  time.before_sessions = {{"2026-11-01T10:00:00Z GPU-1", {37200, 37300}},
                          {"2026-11-02T10:00:00Z GPU-2", {37250, 37250}}};
  time.after_sessions = {{"2026-11-21T04:19:54Z GPU-test", {67800, 67825}}};
  slower.metrics.push_back(time);
  time.before_sessions.clear();
  time.after_sessions.clear();
  MetricVerdict wavefronts;
  wavefronts.metric = "shared_load_wavefronts";
  wavefronts.metric_class = MetricClass::exact;
  wavefronts.verdict = Verdict::regressed;
  wavefronts.before = 524288;
  wavefronts.after = 16777216;
  wavefronts.cause = Cause{1, 32, {{conflicting, 524288, 16777216}}, ""};
  wavefronts.before_sessions = {{"", {524288}}};
  wavefronts.after_sessions = {{"2026-11-21T04:19:54Z GPU-test", {16777216}}};
  slower.metrics.push_back(wavefronts);
  wavefronts.before_sessions.clear();
  wavefronts.after_sessions.clear();
  slower.work = {67108864, 67108864, 0};
  slower.achieved = Achieved{1.979e12, "copy", 0.458, ""};
  slower.samples_after = {{67790, 67810}, {67820, 67830}};
  slower.lines_after = {conflicting};
  slower.lines_before = {conflicting};
  slower.lines_before.front().line = 30;
  slower.lines_before.front().wavefronts = 524288;
  slower.kernels = {{"transpose_tiled<1>(float const*, float*)",
                     results::KernelCode{"transpose_tiled<1>(float const*, float*)", "sm_90",
                                         "ptxas 13.0.88", "9f00", 120, 1920, 32, 4224, 0, 0, 0},
                     results::KernelCode{"transpose_tiled<1>(float const*, float*)", "sm_90",
                                         "ptxas 13.0.88", "a011", 118, 1888, 32, 4096, 0, 0, 0}}};
  slower.not_measured = {{"occupancy", "the chip has no such counter"}};
  slower.remarks = {"exit before a barrier: kernel k"};
  MetricVerdict shown;
  shown.metric = "occupancy";
  shown.before = 0.5;
  shown.after = 0.25;
  slower.metrics.push_back(shown);

  BenchmarkVerdict& unclear = add("reduction/tree/1000", Verdict::inconclusive, "");
  time.verdict = Verdict::inconclusive;
  time.before = 1888;
  time.after = 1920;
  time.reason = "-1.0 to +4.6 % may be worse than +3.4 %";
  unclear.metrics.push_back(time);
  unclear.achieved = Achieved{2.083e9, "", std::nullopt, "it fits into the L2"};

  add("transpose/new/64x64", Verdict::added, "has no baseline");

  BenchmarkVerdict& better = add("reduction/a|b/7", Verdict::improved, "");
  wavefronts.verdict = Verdict::improved;
  wavefronts.before = 1000;
  wavefronts.after = 990;
  wavefronts.cause.reset();
  better.metrics.push_back(wavefronts);

  BenchmarkVerdict& fine = add("scan/warp/1000", Verdict::not_worse, "");
  time.verdict = Verdict::not_worse;
  time.after = 1880;
  time.reason = "-1.0 to +0.3 %, none of it worse than +0.7 %";
  fine.metrics.push_back(time);

  for (const char* id : {"x/y/1", "x/y/2"}) add(id, Verdict::same, "");
  for (int line = 1; line <= 40; ++line) {
    verdict.sources["kernels/transpose.cuh"] +=
        line == 31 ? "  out[i] = tile[x][j];\n" : "// line " + std::to_string(line) + "\n";
  }
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> kTexts{
      "</script><img onerror=alert(1) src=x>",
      "\"quoted\" and 'quoted'",
      "a|b||c",
      "`a` ``b`` ```c```",
      "two\nlines\r\n# heading",
      "\xE2\x80\xAE reversed \xE2\x81\xA6\xE2\x80\x8F",
      "\xF0\x9F\x92\xA5 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xAC",
      "]]> <![CDATA[ x ]]> <!-- --> &amp; &#65;",
      "::error file=x::injected",
      "\nfirst\n::set-output name=a::b\n##[error]c",
      "\xC2\x80\xC2\x9B[31m\xC2\x9F C1",
      "\x1b[31mred\x07\x00",
      "bad \xFF\xC0\x80\xED\xA0\x80 bytes",
      "@team #1 https://example.com [l](u) ![i](u) www.example.com $x$ <details>",
      "\\ *a* _b_ ~~c~~ \\| - + 1.",
      "100%25 %0A,a:b",
      "../../etc/passwd",
      "\xEF\xBF\xBE\xEF\xBF\xBF non-characters",
      std::string(10'000, 'x'),
      "",
  };
  return kTexts;
}

GateVerdict hostile() {
  GateVerdict verdict = everything();
  verdict.benchmarks.clear();
  for (const std::string& text : hostile_texts()) {
    verdict.notes.push_back(text);
    results::SourceLine line = source_line(2, results::Access::shared_load, 1, 32, text, text);
    line.file = text;
    line.ideal_wavefronts = 1;
    MetricVerdict metric;
    metric.metric = text;
    metric.metric_class = MetricClass::exact;
    metric.verdict = Verdict::regressed;
    metric.before = 1;
    metric.after = 32;
    metric.reason = text;
    metric.cause = Cause{1, 32, {{line, 1, 32}}, ""};
    metric.before_sessions = {{text, {1}}};
    metric.after_sessions = {{text, {32}}};
    BenchmarkVerdict benchmark{
        .id = text, .verdict = Verdict::regressed, .message = "", .metrics = {metric}};
    benchmark.lines_after = {line};
    benchmark.achieved = Achieved{1, "", std::nullopt, text};
    benchmark.not_measured = {{text, text}};
    benchmark.remarks = {text};
    verdict.benchmarks.push_back(benchmark);
    verdict.benchmarks.push_back(
        {.id = "failed/" + text, .verdict = Verdict::failed, .message = text, .metrics = {}});
    verdict.edits->baselines.push_back(
        {BaselineEdit::Kind::approves, text, text, {{text, 1, 2}}, text, text});
    verdict.edits->policy.push_back({PolicyEdit::Kind::loosens, text});
    verdict.edits->unclear.push_back(text);
    verdict.sources[text] = "a\n" + text + "\nc\n";
  }
  verdict.before = verdict.after = verdict.device = verdict.approve_command = verdict.no_baseline =
      hostile_texts().front();
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

}  // namespace warpgauge::ci
