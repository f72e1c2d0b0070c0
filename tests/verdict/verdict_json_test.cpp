// SPDX-License-Identifier: Apache-2.0
// verdict.json: what is written, that it is read again, and what is refused.
#include "ci/verdict/verdict_json.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/report/quoted_sources.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/golden.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge::ci {
namespace {

using Document = nlohmann::ordered_json;

constexpr const char* kSchema = "ci/verdict/verdict.schema.json";

GateVerdict again(const GateVerdict& verdict) {
  return verdict_from_json_text(to_json_text(verdict), "verdict.json");
}

TEST(VerdictJson, HoldsEverything) {
  expect_golden(Document::parse(to_json_text(everything())).dump(1) + "\n",
                "everything.verdict.json");
}

TEST(VerdictJson, FitsItsSchema) {
  EXPECT_EQ(why_invalid(to_json_text(everything()), kSchema), "");
  EXPECT_EQ(why_invalid(to_json_text(hostile()), kSchema), "");
}

TEST(VerdictJson, ReadAgainItIsTheSame) {
  const std::string text = to_json_text(everything());
  EXPECT_EQ(to_json_text(verdict_from_json_text(text, "verdict.json")), text);
}

TEST(VerdictJson, OneOfAlmostAllBytesIsReadAgain) {
  GateVerdict verdict = everything();
  verdict.notes.assign(60, std::string(results::kMebibyte - 100, 'x'));
  EXPECT_EQ(again(verdict).notes.size(), 60U);
}

TEST(VerdictJson, HoldsMachineCodeSideBySide) {
  GateVerdict verdict = everything();
  ASSERT_FALSE(verdict.benchmarks[2].kernels.empty());
  machine_code::SideBySide& sass = verdict.benchmarks[2].kernels[0].sass;
  sass.rows = {{machine_code::SassChange::removed, "LDG.E.128 R4, [R2]", "", "a.cuh:7", 12},
               {machine_code::SassChange::operands, "FADD R1, R2", "FADD R1, R3", "", 0}};
  sass.more = 3;
  const std::string text = to_json_text(verdict);
  EXPECT_EQ(why_invalid(text, kSchema), "");
  const Document kernel = Document::parse(text)["benchmarks"][2]["kernels"][0];
  EXPECT_EQ(kernel["sass"][0]["change"], "removed");
  EXPECT_EQ(kernel["sass"][0]["skipped"], 12);
  EXPECT_EQ(kernel["more_sass"], 3);
  EXPECT_EQ(to_json_text(again(verdict)), text);
  sass.rows.resize(machine_code::kMostSassRows + 1);
  EXPECT_THROW((void)again(verdict), results::FormatError);
}

TEST(VerdictJson, HostileTextComesBackAsItWas) {
  GateVerdict verdict = hostile();
  const GateVerdict read = again(verdict);
  ASSERT_EQ(read.benchmarks.size(), verdict.benchmarks.size());
  for (std::size_t i = 0; i < read.benchmarks.size(); ++i) {
    // JSON has no bytes that are no UTF-8.
    if (verdict.benchmarks[i].id.find('\xFF') != std::string::npos) continue;
    EXPECT_EQ(read.benchmarks[i].id, verdict.benchmarks[i].id);
    EXPECT_EQ(read.benchmarks[i].message, verdict.benchmarks[i].message);
  }
  EXPECT_EQ(to_json_text(read), to_json_text(verdict));
}

TEST(VerdictJson, FiguresThatAreNotFiniteAreLeftOut) {
  GateVerdict verdict = everything();
  verdict.benchmarks[2].metrics[0].high = std::numeric_limits<double>::infinity();
  verdict.benchmarks[2].metrics[0].p = std::numeric_limits<double>::quiet_NaN();
  const Document document = Document::parse(to_json_text(verdict));
  const Document& metric = document["benchmarks"][2]["metrics"][0];
  EXPECT_FALSE(metric.contains("high"));
  EXPECT_FALSE(metric.contains("p"));
  EXPECT_TRUE(metric.contains("low"));
  EXPECT_FALSE(again(verdict).benchmarks[2].metrics[0].high);
}

std::string refusal(const Document& document) {
  try {
    (void)verdict_from_json_text(document.dump(), "v.json");
  } catch (const results::FormatError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(VerdictJson, RefusesWhatIsNotAsDescribedAndSaysWhere) {
  const Document good = Document::parse(to_json_text(everything()));
  ASSERT_EQ(refusal(good), "accepted");
  Document old = good;
  old["schema"] = 1;
  ASSERT_EQ(refusal(old), "accepted");
  struct Fault {
    std::function<void(Document&)> plant;
    const char* refusal;
  };
  const Fault kFaults[] = {
      {[](Document& d) { d = Document::array(); }, "v.json: must be an object, is array"},
      {[](Document& d) { d.erase("schema"); }, "v.json: 'schema' is missing"},
      {[](Document& d) { d["schema"] = 3; },
       "v.json: schema: is 3, not 1 to 2; read it with the version of Warpgauge that wrote it"},
      {[](Document& d) { d["colour"] = 2; }, "v.json: 'colour' is not known in schema 2"},
      {[](Document& d) { d.erase("counts"); }, "v.json: 'counts' is missing"},
      {[](Document& d) { d["counts"]["same"] = 3; },
       "v.json: counts: says 3 'same', but 'benchmarks' holds 2"},
      {[](Document& d) { d["counts"]["fine"] = 3; }, "v.json: counts: 'fine' is no verdict"},
      {[](Document& d) { d["exit_status"] = -1; },
       "v.json: exit_status: must be a whole number of at least 0, is -1"},
      {[](Document& d) { d["exit_status"] = 256; }, "v.json: exit_status: is no exit status"},
      {[](Document& d) { d["before"].erase("name"); }, "v.json: before: 'name' is missing"},
      {[](Document& d) { d["after"]["session"]["device"]["key"] = "A/B"; },
       "v.json: after.session.device.key: 'A/B' must be lower-case letters, digits and single "
       "dashes"},
      {[](Document& d) { d["allowed"] = {"all"}; }, "v.json: allowed[0]: 'all' is no verdict"},
      {[](Document& d) { d["notes"] = "none"; }, "v.json: notes: must be a list, is string"},
      {[](Document& d) { d["ceilings"]["pump"] = 1; },
       "v.json: ceilings: 'pump' is not known in schema 2"},
      {[](Document& d) { d["benchmarks"][1]["id"] = 7; },
       "v.json: benchmarks[1].id: must be a string, is number"},
      {[](Document& d) { d["benchmarks"][1]["verdict"] = "bad"; },
       "v.json: benchmarks[1].verdict: 'bad' is no verdict"},
      {[](Document& d) { d["benchmarks"][2]["metrics"][0]["p"] = "0.1"; },
       "v.json: benchmarks[2].metrics[0].p: must be a number, is string"},
      {[](Document& d) { d["benchmarks"][2]["metrics"][0]["class"] = "odd"; },
       "v.json: benchmarks[2].metrics[0].class: 'odd' is not one of exact, statistical, shown"},
      {[](Document& d) {
         d["benchmarks"][2]["metrics"][0]["after_sessions"][0]["figures"][1] = {};
       },
       "v.json: benchmarks[2].metrics[0].after_sessions[0].figures[1]: must be a number, is null"},
      {[](Document& d) {
         d["benchmarks"][2]["metrics"][1]["cause"]["lines"][0]["line"].erase("access");
       },
       "v.json: benchmarks[2].metrics[1].cause.lines[0].line: 'access' is missing"},
      {[](Document& d) { d["benchmarks"][2]["kernels"][0]["after"]["registers"] = 1.5; },
       "v.json: benchmarks[2].kernels[0].after.registers: must be a whole number of at least 0, "
       "is "
       "1.5"},
      {[](Document& d) { d["benchmarks"][2]["samples_after"][1] = 4; },
       "v.json: benchmarks[2].samples_after[1]: must be a list, is number"},
      {[](Document& d) { d["benchmarks"][2]["achieved"]["ceiling"] = 4; },
       "v.json: benchmarks[2].achieved.ceiling: must be a string, is number"},
      {[](Document& d) { d["benchmarks"][2]["achieved"].erase("share_of_ceiling"); },
       "v.json: benchmarks[2].achieved: 'share_of_ceiling' is missing"},
      {[](Document& d) { d["benchmarks"][2]["achieved"]["no_share_because"] = "odd"; },
       "v.json: benchmarks[2].achieved: has a share of a ceiling, and 'no_share_because'; one of "
       "them is wrong"},
      {[](Document& d) { d["benchmarks"][2]["achieved"]["of"] = 1; },
       "v.json: benchmarks[2].achieved: 'of' is not known in schema 2"},
      {[](Document& d) { d["sources"]["a.cuh"] = 4; },
       "v.json: sources.a.cuh: must be a string, is number"},
  };
  for (const Fault& fault : kFaults) {
    Document document = good;
    fault.plant(document);
    EXPECT_EQ(refusal(document), fault.refusal);
    if (std::string(fault.refusal).find("counts: says") == std::string::npos) {
      EXPECT_NE(why_invalid(document.dump(), kSchema), "") << fault.refusal;
    }
  }
}

// A report repeats what it reads: a verdict that says 0 of what regressed would be shown as passed.
TEST(VerdictJson, WhatContradictsItsBenchmarksIsRefused) {
  const Document good = Document::parse(to_json_text(everything()));
  const auto with = [&](const std::function<void(Document&)>& plant) {
    Document document = good;
    plant(document);
    return refusal(document);
  };
  const int right = everything().exit_status;
  for (const int status : {0, 1, 2, 3, 4, 64}) {
    if (status == right) continue;
    EXPECT_EQ(with([&](Document& d) { d["exit_status"] = status; }),
              "v.json: exit_status: is " + std::to_string(status) +
                  ", but what the file holds comes to " + std::to_string(right));
  }
  const std::string milder = with([](Document& d) {
    Document& benchmark = d["benchmarks"][2];
    Document& counts = d["counts"];
    const std::string was = benchmark["verdict"];
    counts[was] = counts[was].get<int>() - 1;
    counts["same"] = counts.value("same", 0) + 1;
    benchmark["verdict"] = "same";
  });
  EXPECT_EQ(milder.find("v.json: benchmarks[2].verdict: is 'same', but that of "), 0U) << milder;
  EXPECT_EQ(with([](Document& d) { d["allowed"] = {"regressed"}; }),
            "v.json: allowed[0]: 'regressed' cannot be allowed, only 'new' and 'inconclusive'");
}

TEST(VerdictJson, TextThatIsNoJsonIsRefused) {
  EXPECT_THROW((void)verdict_from_json_text("{", "v.json"), results::FormatError);
  EXPECT_THROW((void)verdict_from_json_text("", "v.json"), results::FormatError);
  EXPECT_THROW((void)verdict_from_json_text("{\"schema\": NaN}", "v.json"), results::FormatError);
}

TEST(VerdictJson, NestedTooDeepForAStackItIsRefused) {
  constexpr std::size_t kDeep = 200'000;
  const std::string text =
      "{\"schema\": " + std::string(kDeep, '[') + std::string(kDeep, ']') + "}";
  try {
    (void)verdict_from_json_text(text, "v.json");
    FAIL() << "is accepted";
  } catch (const results::FormatError& error) {
    EXPECT_STREQ(error.what(), "v.json: is nested more than 64 deep");
  }
}

TEST(VerdictJson, MoreMetricsThanReportsBearAreRefused) {
  GateVerdict verdict = everything();
  auto& metrics = verdict.benchmarks[2].metrics;
  metrics.resize(results::kMostMembers, metrics.back());
  EXPECT_EQ(again(verdict).benchmarks[2].metrics.size(), results::kMostMembers);
  Document document = Document::parse(to_json_text(verdict));
  document["benchmarks"][2]["metrics"].push_back(document["benchmarks"][2]["metrics"][0]);
  EXPECT_EQ(refusal(document),
            "v.json: benchmarks[2].metrics: has 4097 entries, and at most 4096 are read");
}

// Empty: it is written.
std::string unwritten(const GateVerdict& verdict) {
  try {
    (void)to_json_text(verdict);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
  return "";
}

// Each limit that a reader has.
TEST(VerdictJson, WhatWouldNotBeReadAgainIsNotWritten) {
  const auto says = [](const std::string& why) {
    return "the verdict on 9 benchmarks would not be read again: " + why +
           "; take fewer at a time, as with --filter";
  };
  GateVerdict verdict = everything();
  auto& metrics = verdict.benchmarks[2].metrics;
  metrics.resize(results::kMostMembers + 1, metrics.back());
  EXPECT_EQ(unwritten(verdict),
            says("a benchmark has 4097 metrics, or lines of one, at most 4096"));

  verdict = everything();
  auto& lines = verdict.benchmarks[2].metrics[1].cause->lines;
  lines.resize(results::kMostMembers + 1, lines.front());
  EXPECT_EQ(unwritten(verdict),
            says("a benchmark has 4097 metrics, or lines of one, at most 4096"));

  verdict = everything();
  for (std::size_t i = 0; verdict.sources.size() <= results::kMostMembers; ++i) {
    verdict.sources[std::to_string(i)] = "x";
  }
  EXPECT_EQ(unwritten(verdict), says("an object has 4097 members, at most 4096"));

  verdict = everything();
  verdict.notes.emplace_back(results::kLongestText, 'x');
  EXPECT_EQ(again(verdict).notes.back().size(), results::kLongestText);
  verdict.notes.back() += 'x';
  EXPECT_EQ(unwritten(verdict), says("a text has 1048577 bytes, at most 1048576"));

  verdict = everything();
  verdict.notes.assign(65, std::string(results::kLongestText, 'x'));
  EXPECT_NE(unwritten(verdict).find("bytes, at most 67108864"), std::string::npos);

  verdict = everything();
  verdict.notes.assign(results::kMostValues, "x");
  EXPECT_NE(unwritten(verdict).find("values, at most 4000000"), std::string::npos);
}

Measured padded(double wavefronts, std::vector<double> times = {}) {
  return {.id = "transpose/padded/64x64",
          .times_ns = std::move(times),
          .counters = {{"shared_load_requests", 2}, {"shared_load_wavefronts", wavefronts}},
          .lines = {source_line(2, results::Access::shared_load, 2,
                                static_cast<std::uint64_t>(wavefronts), "x = tile[j];")}};
}

TEST(VerdictJson, ACompareKeepsFiguresOfBothSidesWithTheirSessions) {
  const results::Results before =
      results_of(h200(), {padded(2, {10'000, 10'010})}, "2026-01-01T00:00:00Z");
  const results::Results after =
      results_of(h200(), {padded(64, {20'000, 20'010})}, "2026-01-02T00:00:00Z");
  const GateVerdict verdict = compare(before, after, built_in_policy());
  ASSERT_TRUE(verdict.before_session && verdict.after_session);
  EXPECT_EQ(verdict.before_session->created, "2026-01-01T00:00:00Z");
  EXPECT_EQ(verdict.after_session->created, "2026-01-02T00:00:00Z");
  ASSERT_EQ(verdict.benchmarks.size(), 1U);
  const BenchmarkVerdict& benchmark = verdict.benchmarks.front();
  EXPECT_EQ(benchmark.lines_before, before.benchmarks.front().lines);
  EXPECT_EQ(benchmark.lines_after, after.benchmarks.front().lines);
  const MetricVerdict& time = benchmark.metrics.front();
  ASSERT_EQ(time.metric, "time");
  EXPECT_EQ(time.before_sessions,
            (std::vector<LabelledFigures>{{"2026-01-01T00:00:00Z GPU-test", {10'000, 10'010}}}));
  EXPECT_EQ(time.after_sessions,
            (std::vector<LabelledFigures>{{"2026-01-02T00:00:00Z GPU-test", {20'000, 20'010}}}));
}

using Baseline = InFolder;

TEST_F(Baseline, KeepsTheLabelsOfItsSessions) {
  const auto session = [](const char* created, double time) {
    return results_of(h200(), {padded(2, {time, time + 1})}, created);
  };
  ApprovalRequest request;
  request.sessions = {session("2026-01-01T00:00:00Z", 100), session("2026-01-02T00:00:00Z", 110)};
  request.reason = "two sessions";
  request.now = "2026-01-03T00:00:00Z";
  (void)approve(request, folder_, built_in_policy());
  const auto baseline = read_baseline(folder_, "nvidia-h200");
  ASSERT_TRUE(baseline);
  const GateVerdict verdict =
      compare(*baseline, session("2026-01-04T00:00:00Z", 105), built_in_policy());
  for (const MetricVerdict& metric : verdict.benchmarks.front().metrics) {
    if (metric.metric == "time") {
      EXPECT_EQ(metric.before_sessions,
                (std::vector<LabelledFigures>{{"2026-01-01T00:00:00Z GPU-test", {100, 101}},
                                              {"2026-01-02T00:00:00Z GPU-test", {110, 111}}}));
    } else if (metric.metric == "shared_load_wavefronts") {
      // Kept once for all sessions.
      EXPECT_EQ(metric.before_sessions, (std::vector<LabelledFigures>{{"", {2}}}));
    }
  }
}

class VerdictFile : public InFolder {
 protected:
  [[nodiscard]] Finished compare_into_json(const std::string& more = "") const {
    return warpgauge("compare before.json after.json --json out/verdict.json " + more);
  }
  void write_sides() const {
    write("before.json", results_text(emulated(), {padded(2)}));
    write("after.json", results_text(emulated(), {padded(64)}));
  }
  [[nodiscard]] Document verdict() const {
    return Document::parse(results::read_file(folder_ / "out" / "verdict.json"));
  }
};

TEST_F(VerdictFile, CompareWritesItWithTheSources) {
  write_sides();
  write("root/kernels/transpose.cuh", "first\nx = tile[j];\nthird\n");
  const Finished finished = compare_into_json("--source-root root");
  EXPECT_EQ(finished.status, 1) << finished.output;
  const Document document = verdict();
  EXPECT_EQ(why_invalid(document.dump(), kSchema), "");
  EXPECT_EQ(document["exit_status"], 1);
  EXPECT_EQ(document["outcome"], "regressed");
  EXPECT_EQ(document["sources"]["kernels/transpose.cuh"], "first\nx = tile[j];\nthird\n");
}

TEST_F(VerdictFile, IsTheSameVerdictThatTheTerminalShows) {
  write_sides();
  const Finished finished = compare_into_json();
  const std::string conclusion = verdict()["conclusion"];
  EXPECT_NE(finished.output.find(conclusion), std::string::npos) << finished.output;
  EXPECT_EQ(verdict()["sources"], Document::object());
}

results::SourceLine in_file(const std::string& file) {
  results::SourceLine line = source_line(1, results::Access::shared_load, 1, 1, "x");
  line.file = file;
  return line;
}

GateVerdict naming(const std::vector<std::string>& files) {
  GateVerdict verdict;
  verdict.benchmarks.emplace_back();
  for (const std::string& file : files) {
    verdict.benchmarks.front().lines_after.push_back(in_file(file));
  }
  return verdict;
}

using Sources = InFolder;

TEST_F(Sources, AreTakenFromBelowTheRootOnly) {
  write("secret", "outside");
  write("root/a.cuh", "inside");
  write("root/.git/config", "hidden");
  std::filesystem::create_symlink(folder_ / "secret", folder_ / "root" / "link");
  const auto sources = sources_of(naming({"a.cuh", "../secret", (folder_ / "secret").string(),
                                          "link", ".git/config", "absent", ".", ""}),
                                  folder_ / "root");
  EXPECT_EQ(sources, (std::map<std::string, std::string>{{"a.cuh", "inside"}}));
}

TEST_F(Sources, AreAsManyAsAreRead) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < results::kMostMembers + 2; ++i) {
    files.push_back(std::to_string(i));
    std::ofstream(folder_ / files.back()) << "x";
  }
  // In JSON it takes three times as much.
  write("faulty", std::string(kLargestSource / 2, '\xff'));
  files.insert(files.begin(), "faulty");
  const auto sources = sources_of(naming(files), folder_);
  EXPECT_EQ(sources.size(), results::kMostMembers);
  EXPECT_FALSE(sources.contains("faulty"));
}

TEST_F(Sources, AreLimitedInSize) {
  write("just.cuh", std::string(kLargestSource, 'x'));
  write("large.cuh", std::string(kLargestSource + 1, 'x'));
  std::vector<std::string> files{"large.cuh", "just.cuh"};
  for (int i = 0; i < 8; ++i) {
    files.push_back("file" + std::to_string(i));
    write(files.back(), std::string(kLargestSource, 'y'));
  }
  write("cause.cuh", "z");
  GateVerdict verdict = naming(files);
  verdict.benchmarks.front().metrics.emplace_back().cause =
      Cause{std::nullopt, std::nullopt, {{in_file("cause.cuh"), 0, 1}}, ""};
  const auto sources = sources_of(verdict, folder_);
  EXPECT_TRUE(sources.contains("cause.cuh"));
  EXPECT_TRUE(sources.contains("just.cuh"));
  EXPECT_FALSE(sources.contains("large.cuh"));
  std::size_t total = 0;
  for (const auto& [name, text] : sources) total += text.size();
  EXPECT_LE(total, kAllSources);
  EXPECT_GT(total, kAllSources - kLargestSource - 1);
}

}  // namespace
}  // namespace warpgauge::ci
