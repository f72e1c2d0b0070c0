// SPDX-License-Identifier: Apache-2.0
// Every format of report: to the letter for one of everything, by a reader of that format for text
// that is meant to break out, and within its limits for more than anyone measures.
// Larger than most: the formats share the verdict that is meant to break out, and its readers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ci/report/findings.hpp"
#include "ci/report/formats/github.hpp"
#include "ci/report/formats/gitlab.hpp"
#include "ci/report/formats/junit.hpp"
#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/formats/sarif.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/verdict.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "tests/helpers/golden.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/sample_verdict.hpp"
#include "tests/report/sarif_checker.hpp"

namespace warpgauge::ci {
namespace {

using Document = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<char32_t> code_points(const std::string& text) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) all.push_back(next_code_point(text, at));
  return all;
}

long allocations = 0;         // of pugixml
long failing_allocation = 0;  // which of them fails

void* allocate(std::size_t size) {
  return ++allocations == failing_allocation ? nullptr : std::malloc(size);
}

// Regressed in a counter, by a line, under names of 10 kB.
GateVerdict enormous(int benchmarks) {
  const GateVerdict sample = hostile();
  GateVerdict verdict = everything();
  verdict.benchmarks.clear();
  for (int i = 0; i < benchmarks; ++i) {
    BenchmarkVerdict benchmark = sample.benchmarks.front();
    benchmark.id = fmt::format("family/{}{}", i, std::string(2'000, '@'));
    benchmark.metrics.front().cause->lines.front().line.file = "kernels/transpose.cuh";
    verdict.benchmarks.push_back(benchmark);
  }
  verdict.exit_status = exit_status(verdict);
  return verdict;
}

TEST(Reports, AreWhatTheyWereToTheLetter) {
  const GateVerdict verdict = everything();
  for (const auto& [format, file] :
       {std::pair("terminal", "everything.txt"), std::pair("markdown", "everything.md"),
        std::pair("sarif", "everything.sarif"), std::pair("github", "everything.github"),
        std::pair("gitlab", "everything.gitlab.json"),
        std::pair("junit", "everything.junit.xml")}) {
    expect_golden(report_format(format).render(verdict), file);
  }
  expect_golden(terminal_report(verdict, {.colour = true}), "everything.colour.txt");
}

// All but the page, which is not built everywhere and has tests of its own.
std::vector<ReportFormat> text_formats() {
  std::vector<ReportFormat> formats(report_formats().begin(), report_formats().end());
  std::erase_if(formats,
                [](const ReportFormat& each) { return std::string_view(each.name) == "html"; });
  return formats;
}

TEST(Reports, OfHostileTextAreWhatTheyWereToTheLetter) {
  const GateVerdict verdict = hostile();
  for (const ReportFormat& format : text_formats()) {
    expect_golden(format.render(verdict), fmt::format("hostile.{}", format.name));
  }
}

TEST(Reports, AreTheSameFromVerdictJson) {
  const GateVerdict verdict = everything();
  const GateVerdict read = verdict_from_json_text(to_json_text(verdict), "verdict.json");
  for (const ReportFormat& format : text_formats()) {
    EXPECT_EQ(format.render(read), format.render(verdict)) << format.name;
  }
}

TEST(Reports, AreValidTextWithoutControlCharacters) {
  for (const ReportFormat& format : text_formats()) {
    const std::string text = format.render(hostile());
    EXPECT_EQ(valid_utf8(text), text) << format.name;
    for (const char32_t code_point : code_points(text)) {
      const bool control = (code_point < 0x20 && code_point != '\n') ||
                           (code_point >= 0x7F && code_point <= 0x9F) ||
                           (code_point >= 0x202A && code_point <= 0x202E) ||
                           (code_point >= 0x2066 && code_point <= 0x2069);
      ASSERT_FALSE(control) << format.name << ": " << static_cast<unsigned>(code_point);
    }
  }
}

TEST(Reports, OfNothingAreWhole) {
  for (const ReportFormat& format : text_formats()) {
    EXPECT_NO_THROW((void)format.render(GateVerdict())) << format.name;
  }
}

TEST(TerminalReport, IsNoCommandToARunner) {
  GateVerdict verdict = hostile();
  verdict.device = "::error::x";
  for (const std::string& line : lines_of(terminal_report(verdict))) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == line.npos) continue;
    EXPECT_NE(line.substr(first, 2), "::") << line;
    EXPECT_EQ(line.find("##["), line.npos) << line;
  }
}

TEST(TerminalReport, ColoursNothingElse) {
  static const std::regex kColours("\x1b\\[[0-9;]*m");
  for (const GateVerdict& verdict : {everything(), hostile()}) {
    const std::string coloured = terminal_report(verdict, {.colour = true});
    EXPECT_NE(coloured.find('\x1b'), coloured.npos);
    EXPECT_EQ(std::regex_replace(coloured, kColours, ""), terminal_report(verdict));
  }
}

TEST(TerminalReport, LongNamesDoNotPushTheFiguresAway) {
  for (const std::string& line : lines_of(terminal_report(enormous(3)))) {
    if (!line.starts_with("  regressed")) continue;
    EXPECT_LT(display_width(line), 300U) << line;
  }
}

TEST(TerminalReport, ColumnsStandBelowEachOtherWhateverTheCharacters) {
  const std::string table = aligned_table(
      {{"a"}, {"b"}}, {{"\xE2\x9C\x93", "x"}, {"\xF0\x9F\x92\xA5", "x"}, {"e\xCC\x81", "x"}});
  std::set<std::size_t> columns;
  for (const std::string& line : lines_of(table)) {
    columns.insert(display_width(line.substr(0, line.find_last_of("bx"))));
  }
  EXPECT_EQ(columns, (std::set<std::size_t>{6})) << table;
}

TEST(Sarif, HasTheRequiredStructure) {
  EXPECT_EQ(sarif_fault(Document::parse(sarif_report(everything()))), "");
  EXPECT_EQ(sarif_fault(Document::parse(sarif_report(hostile()))), "");
  EXPECT_EQ(sarif_fault(Document::parse(sarif_report(GateVerdict()))), "");
}

TEST(Sarif, SaysWhatTheConflictIsAndWhere) {
  const Document sarif = Document::parse(sarif_report(everything()));
  const Document& results = sarif["runs"][0]["results"];
  const auto found = std::find_if(results.begin(), results.end(), [](const Document& result) {
    return result["ruleId"] == "shared_load_wavefronts";
  });
  ASSERT_NE(found, results.end());
  EXPECT_EQ((*found)["level"], "error");
  EXPECT_EQ((*found)["message"]["text"],
            "transpose/padded/4096x4096: 32-way bank conflict, was none: 16.8 M wavefronts for "
            "524.3 k requests; shared_load_wavefronts regressed: 524.3 k → 16.8 M (×32.0)");
  const Document& place = (*found)["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "kernels/transpose.cuh");
  EXPECT_EQ(place["artifactLocation"]["uriBaseId"], "SRCROOT");
  EXPECT_EQ(place["region"]["startLine"], 31);
  EXPECT_EQ(place["region"]["startColumn"], 12);
}

TEST(Sarif, StaysWithinWhatGithubTakes) {
  GateVerdict verdict = enormous(5'100);
  const std::string text = sarif_report(verdict);
  const Document sarif = Document::parse(text);
  EXPECT_EQ(sarif_fault(sarif), "");
  EXPECT_EQ(sarif["runs"][0]["results"].size(), kMostSarifResults);
  const Document& notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"];
  EXPECT_EQ(notes.back()["message"]["text"], "100 results left out here; verdict.json holds all");
  EXPECT_LT(text.size(), 20'000'000U) << "gzip must bring it below 10 MB";
}

// A verdict of a benchmark whose bank conflicts grew at this line.
GateVerdict grown_at(const std::string& id, const std::string& file) {
  GateVerdict verdict = everything();
  BenchmarkVerdict benchmark = verdict.benchmarks.at(2);
  benchmark.id = id;
  std::erase_if(benchmark.metrics, [](const auto& metric) { return !metric.cause; });
  benchmark.metrics.at(0).cause->lines.at(0).line.file = file;
  verdict.benchmarks = {benchmark};
  return verdict;
}

TEST(Sarif, NoMessageIsALink) {
  const Document sarif = Document::parse(sarif_report(grown_at("a[x](https://b)\\", "k.cu")));
  const auto text = sarif["runs"][0]["results"][0]["message"]["text"].get<std::string>();
  EXPECT_EQ(text.find("a\\[x\\](https://b)\\\\: "), 0U) << text;
}

TEST(Findings, WhatLiesOutsideTheSourcesIsNoPlaceButNamed) {
  for (const char* file : {"../../etc/passwd", "/etc/passwd", "kernels/../../passwd", ".."}) {
    for (const Finding& finding : findings(grown_at("a/b/1", file)).list) {
      EXPECT_FALSE(finding.place) << file;
      EXPECT_NE(finding.message.find(std::string("; at ") + file + ":31"), std::string::npos)
          << finding.message;
    }
  }
  for (const char* file : {"kernels/a.cuh", "..a/b.cu", "a..b.cu"}) {
    for (const Finding& finding : findings(grown_at("a/b/1", file)).list)
      EXPECT_TRUE(finding.place);
  }
}

TEST(Findings, ManyAlikeHaveFingerprintsOfTheirOwn) {
  GateVerdict verdict = grown_at("a/b/1", "k.cu");
  auto& lines = verdict.benchmarks[0].metrics[0].cause->lines;
  lines.resize(kMostListed, lines.front());
  verdict.benchmarks[0].lines_after.resize(kMostListed, lines.front().line);
  std::set<std::string> prints;
  for (const Finding& finding : findings(verdict).list) prints.insert(finding.fingerprint);
  EXPECT_EQ(prints.size(), lines.size());
}

TEST(Markdown, ShowsTheFirstLinesOfMany) {
  GateVerdict verdict = grown_at("a/b/1", "k.cu");
  auto& lines = verdict.benchmarks[0].metrics[0].cause->lines;
  lines.resize(25, lines.front());
  EXPECT_NE(markdown_report(verdict).find("5 more lines left out here"), std::string::npos);
}

TEST(Findings, FingerprintsAreUniqueAndDoNotMoveWithTheLine) {
  for (GateVerdict verdict : {everything(), hostile()}) {
    std::vector<std::string> prints;
    for (const Finding& finding : findings(verdict).list) prints.push_back(finding.fingerprint);
    EXPECT_EQ(std::set<std::string>(prints.begin(), prints.end()).size(), prints.size());
    std::vector<std::string> moved;
    for (BenchmarkVerdict& benchmark : verdict.benchmarks) {
      for (MetricVerdict& metric : benchmark.metrics) {
        if (metric.cause) metric.cause->lines.front().line.line += 7;
        if (metric.after) *metric.after += 1;
      }
    }
    for (const Finding& finding : findings(verdict).list) moved.push_back(finding.fingerprint);
    EXPECT_EQ(moved, prints);
  }
}

TEST(Findings, TheSameStatementTwiceHasTwoFingerprints) {
  GateVerdict verdict = everything();
  auto& lines = verdict.benchmarks[2].metrics[1].cause->lines;
  lines.push_back(lines.front());
  lines.back().line.line += 4;
  std::set<std::string> prints;
  for (const Finding& finding : findings(verdict).list) {
    EXPECT_TRUE(prints.insert(finding.fingerprint).second) << finding.message;
  }
}

TEST(Findings, ABenchmarkThatFailedIsPutWhereItsMessageSays) {
  GateVerdict verdict;
  verdict.benchmarks.push_back(
      {.id = "a/b/1",
       .verdict = Verdict::failed,
       .message =
           "error: shared memory race: kernel k, block (0,0,0): read at kernels/a-b.cuh:31:7",
       .metrics = {}});
  const auto all = findings(verdict).list;
  ASSERT_EQ(all.size(), 1U);
  ASSERT_TRUE(all[0].place);
  EXPECT_EQ(all[0].place->file, "kernels/a-b.cuh");
  EXPECT_EQ(all[0].place->line, 31);
}

TEST(Findings, OfAKernelInPythonArePutOnItsLine) {
  GateVerdict verdict;
  verdict.benchmarks.push_back({.id = "a/b/1",
                                .verdict = Verdict::failed,
                                .message = "softmax, first known line models/softmax.py:12",
                                .metrics = {}});
  const auto all = findings(verdict).list;
  ASSERT_EQ(all.size(), 1U);
  ASSERT_TRUE(all[0].place);
  EXPECT_EQ(all[0].place->file, "models/softmax.py");
  EXPECT_EQ(all[0].place->line, 12);
}

TEST(Findings, TimeIsPutWhereACounterGrewOrElseOnTheBusiestLineAndSaysSo) {
  GateVerdict verdict = everything();
  const auto time_finding = [&] {
    for (const Finding& finding : findings(verdict).list) {
      if (finding.rule == "time" && finding.benchmark == "transpose/padded/4096x4096") {
        return finding;
      }
    }
    return Finding();
  };
  ASSERT_TRUE(time_finding().place);
  EXPECT_EQ(time_finding().place->line, 31);
  EXPECT_EQ(time_finding().message.find("most traffic"), std::string::npos);

  BenchmarkVerdict& benchmark = verdict.benchmarks[2];
  for (MetricVerdict& metric : benchmark.metrics) metric.cause.reset();
  benchmark.lines_after.push_back(
      source_line(99, results::Access::shared_store, 1, 99'999'999, "x"));
  EXPECT_EQ(time_finding().place->line, 99);
  EXPECT_NE(time_finding().message.find("most traffic"), std::string::npos);

  benchmark.lines_after.clear();
  EXPECT_FALSE(time_finding().place);
}

TEST(Findings, WhatIsAllowedIsAWarning) {
  GateVerdict verdict = everything();
  for (const Finding& finding : findings(verdict).list) {
    const bool grave = finding.benchmark != "reduction/tree/1000" && finding.rule != "new";
    EXPECT_EQ(finding.level == Level::error, grave) << finding.message;
  }
}

// Turns the escapes back, as the runner does.
std::string unescaped(std::string text) {
  for (const auto& [code, character] :
       {std::pair("%0D", "\r"), std::pair("%0A", "\n"), std::pair("%3A", ":"),
        std::pair("%2C", ","), std::pair("%25", "%")}) {
    for (std::size_t at = text.find(code); at != text.npos; at = text.find(code, at + 1)) {
      text.replace(at, 3, character);
    }
  }
  return text;
}

TEST(WorkflowCommands, AreAllThatIsPrinted) {
  static const std::regex kCommand(
      "::(error|warning) (file=[^:,]*,line=[0-9]+,(col=[0-9]+,)?)?title=[^:,]*::.*");
  for (const GateVerdict& verdict : {everything(), hostile(), enormous(40)}) {
    for (const std::string& line : lines_of(workflow_report(verdict))) {
      EXPECT_TRUE(std::regex_match(line, kCommand)) << line;
      EXPECT_LT(line.size(), 8'000U);
    }
  }
}

TEST(WorkflowCommands, EscapeWhatTheRunnerTurnsBack) {
  GateVerdict verdict;
  MetricVerdict metric;
  metric.metric = "100%25 %0A,a:b";
  metric.verdict = Verdict::regressed;
  results::SourceLine line = source_line(3, results::Access::shared_load, 1, 1, "x");
  line.file = "a,b:c%2C.cu";
  metric.cause = Cause{std::nullopt, std::nullopt, {{line, 0, 1}}, ""};
  verdict.benchmarks.push_back(
      {.id = "50%/x", .verdict = Verdict::regressed, .message = "", .metrics = {metric}});
  const std::string report = workflow_report(verdict);
  EXPECT_TRUE(
      report.starts_with("::error file=a%2Cb%3Ac%252C.cu,line=3,title=Warpgauge%3A "
                         "100%2525 %250A%2Ca%3Ab::50%25/x: "))
      << report;
  EXPECT_EQ(unescaped("a%2Cb%3Ac%252C.cu"), line.file);
}

TEST(WorkflowCommands, AreNoMoreThanAreShownAndSayHowManyAreNot) {
  const auto lines = lines_of(workflow_report(enormous(12)));
  ASSERT_EQ(lines.size(), kMostAnnotations);
  EXPECT_TRUE(lines.back().starts_with("::error title=Warpgauge::3 more findings not annotated"))
      << lines.back();
  EXPECT_EQ(lines_of(workflow_report(enormous(10))).size(), 10U);
  EXPECT_EQ(lines_of(workflow_report(enormous(10))).back().find("not annotated"),
            std::string::npos);
}

TEST(CodeQuality, HasWhatGitlabAsksFor) {
  for (const GateVerdict& verdict : {everything(), hostile()}) {
    const Document report = Document::parse(code_quality_report(verdict));
    std::set<std::string> prints;
    ASSERT_TRUE(report.is_array());
    for (const Document& issue : report) {
      EXPECT_FALSE(issue.at("description").get<std::string>().empty());
      EXPECT_TRUE(issue.at("check_name").get<std::string>().starts_with("warpgauge/"));
      EXPECT_TRUE(prints.insert(issue.at("fingerprint").get<std::string>()).second);
      const std::string severity = issue.at("severity");
      EXPECT_TRUE(severity == "major" || severity == "minor") << severity;
      EXPECT_FALSE(issue.at("location").at("path").get<std::string>().empty());
      EXPECT_GE(issue.at("location").at("lines").at("begin").get<int>(), 1);
    }
    EXPECT_EQ(report.size(), findings(verdict).count());
  }
}

TEST(CodeQuality, WhatHasNoPlaceStandsInItsBaseline) {
  for (const Document& issue : Document::parse(code_quality_report(everything()))) {
    if (issue["check_name"] != "warpgauge/missing") continue;
    EXPECT_EQ(issue["location"]["path"], "baselines/nvidia-h200/scan.json");
    return;
  }
  FAIL() << "nothing is missing";
}

pugi::xml_document parsed(const std::string& xml) {
  pugi::xml_document document;
  const auto result = document.load_string(xml.c_str(), pugi::parse_full);
  EXPECT_TRUE(result) << result.description();
  return document;
}

// What pugixml cannot add it leaves out, a failure, say.
TEST(Junit, IsWholeOrRefusedWhereMemoryLacks) {
  GateVerdict verdict = everything();
  for (int i = 0; i < 200; ++i) {
    verdict.benchmarks.push_back(verdict.benchmarks[2]);
    verdict.benchmarks.back().id += fmt::format("/{}", i);
  }
  const std::string whole = junit_report(verdict);
  pugi::set_memory_management_functions(&allocate, &std::free);
  int refused = 0;
  do {
    ++failing_allocation;
    allocations = 0;
    try {
      EXPECT_TRUE(junit_report(verdict) == whole) << failing_allocation;
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  } while (allocations >= failing_allocation);
  pugi::set_memory_management_functions(&std::malloc, &std::free);
  EXPECT_GE(refused, 3);
}

TEST(Junit, HasATestCaseForEachBenchmarkAndCountsThem) {
  for (const GateVerdict& verdict : {everything(), hostile()}) {
    const auto document = parsed(junit_report(verdict));
    const pugi::xml_node suite = document.child("testsuites").child("testsuite");
    std::size_t index = 0;
    int failures = 0;
    int errors = 0;
    for (const pugi::xml_node test : suite.children("testcase")) {
      ASSERT_LT(index, verdict.benchmarks.size());
      const Verdict each = verdict.benchmarks[index++].verdict;
      failures += test.child("failure") ? 1 : 0;
      errors += test.child("error") ? 1 : 0;
      const bool passes = each <= Verdict::improved;
      EXPECT_EQ(!test.child("failure") && !test.child("error"), passes);
    }
    EXPECT_EQ(index, verdict.benchmarks.size());
    EXPECT_EQ(suite.attribute("tests").as_uint(), index);
    EXPECT_EQ(suite.attribute("failures").as_int(), failures);
    EXPECT_EQ(suite.attribute("errors").as_int(), errors);
  }
}

TEST(Junit, TimeIsInSecondsAndAbsentWhereItWasNotMeasured) {
  const auto document = parsed(junit_report(everything()));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  const auto named = [&](const char* name) { return suite.find_child_by_attribute("name", name); };
  EXPECT_STREQ(named("padded/4096x4096").attribute("classname").value(), "transpose");
  EXPECT_STREQ(named("padded/4096x4096").attribute("time").value(), "0.000067813");
  EXPECT_FALSE(named("old/1024").attribute("time"));
  const pugi::xml_node property = named("padded/4096x4096")
                                      .child("properties")
                                      .find_child_by_attribute("name", "shared_load_wavefronts");
  EXPECT_STREQ(property.attribute("value").value(), "16777216");
}

TEST(Junit, WhatIsAllowedIsSkippedRatherThanAFailure) {
  GateVerdict verdict = everything();
  verdict.allowed = {Verdict::added};
  const auto document = parsed(junit_report(verdict));
  const pugi::xml_node suite = document.child("testsuites").child("testsuite");
  EXPECT_TRUE(suite.find_child_by_attribute("name", "new/64x64").child("skipped"));
  EXPECT_TRUE(suite.find_child_by_attribute("name", "tree/1000").child("failure"));
  EXPECT_EQ(suite.attribute("skipped").as_int(), 1);
}

TEST(Junit, HostileNamesComeBackAsText) {
  const GateVerdict verdict = hostile();
  const auto document = parsed(junit_report(verdict));
  std::size_t index = 0;
  for (const pugi::xml_node test :
       document.child("testsuites").child("testsuite").children("testcase")) {
    const std::string id = one_line(verdict.benchmarks[index++].id);
    if (id.find("\xEF\xBF\xBE") != id.npos) continue;  // U+FFFE has no place in XML
    const std::size_t slash = id.find('/');
    EXPECT_EQ(test.attribute("name").value(), slash == id.npos ? id : id.substr(slash + 1));
  }
}

TEST(Junit, LongMessagesAreShortened) {
  GateVerdict verdict = everything();
  for (BenchmarkVerdict& each : verdict.benchmarks) each.message = std::string(1'000'000, 'x');
  verdict.notes.emplace_back(1'000'000, 'y');
  const std::size_t cases = verdict.benchmarks.size() + 1;
  EXPECT_LT(junit_report(verdict).size(), 20'000 * cases);
}

// A reader without leniency.
TEST(Junit, IsWellFormed) {
  for (const GateVerdict& verdict : {everything(), hostile(), GateVerdict()}) {
    std::string folder = std::filesystem::temp_directory_path() / "warpgauge junit XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    const auto file = std::filesystem::path(folder) / "junit.xml";
    results::write_file_atomically(file, junit_report(verdict));
    const Finished finished = shell("xmllint --noout --nonet " + quoted(file));
    EXPECT_EQ(finished.status, 0) << finished.output;
    std::filesystem::remove_all(folder);
  }
}

class ReportCommand : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("verdict.json", to_json_text(everything()));
  }
};

TEST_F(ReportCommand, PrintsOrWritesEachFormat) {
  for (const ReportFormat& format : text_formats()) {
    const std::string expected = format.render(everything());
    const Finished printed = warpgauge(fmt::format("report verdict.json --format {}", format.name));
    EXPECT_EQ(printed.status, 0) << printed.output;
    EXPECT_EQ(printed.output, expected);
    ASSERT_EQ(
        warpgauge(fmt::format("report verdict.json --format {} --out 'a/b c'", format.name)).status,
        0);
    EXPECT_EQ(results::read_file(folder_ / "a" / "b c"), expected);
  }
}

TEST_F(ReportCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(warpgauge("report verdict.json --format pdf").status, 64);
  EXPECT_EQ(warpgauge("report absent.json").status, 4);
  write("broken.json", "{}");
  const Finished broken = warpgauge("report broken.json");
  EXPECT_EQ(broken.status, 4);
  EXPECT_NE(broken.output.find("broken.json: 'schema' is missing"), std::string::npos)
      << broken.output;
}

TEST_F(ReportCommand, IsColouredWhenAskedAndNeverInAFileUnasked) {
  EXPECT_EQ(warpgauge("report verdict.json").output, terminal_report(everything()));
  EXPECT_EQ(warpgauge("report verdict.json --color always").output,
            terminal_report(everything(), {.colour = true}));
  EXPECT_EQ(warpgauge("report verdict.json --color never").output, terminal_report(everything()));
}

// `script` gives the command a terminal.
TEST_F(ReportCommand, IsColouredOnATerminalUnlessNoColorIsSet) {
  const auto on_terminal = [&](const std::string& environment) {
    return shell("cd " + quoted(folder_) + " && env -u NO_COLOR TERM=xterm " + environment +
                 " script -qec " + quoted(quoted(WARPGAUGE) + " report verdict.json") +
                 " /dev/null")
        .output;
  };
  EXPECT_NE(on_terminal("").find("\x1b[1;31mregressed\x1b[0m"), std::string::npos);
  EXPECT_EQ(on_terminal("NO_COLOR=1").find('\x1b'), std::string::npos);
  EXPECT_NE(on_terminal("NO_COLOR=").find('\x1b'), std::string::npos);
  EXPECT_EQ(on_terminal("TERM=dumb").find('\x1b'), std::string::npos);
}

TEST_F(ReportCommand, OnStandardOutputStandsBeforeTheTableEvenInAFile) {
  write("a.json", plain_text({nanoseconds("100"), nanoseconds("101")}, "BM_copy/1"));
  write("b.json", plain_text({nanoseconds("100"), nanoseconds("101")}, "BM_copy/2"));
  (void)warpgauge("compare a.json b.json --report github=/dev/stdout > out");
  const std::string text = results::read_file(folder_ / "out");
  EXPECT_TRUE(text.starts_with("::error title=Warpgauge%3A missing::BM_copy/1: ")) << text;
  EXPECT_NE(text.find("\nnot measured: 1 missing, 1 new of 2 benchmarks."), text.npos) << text;
}

TEST_F(ReportCommand, CompareWritesThoseThatAreAskedFor) {
  write("a.json", plain_text({nanoseconds("100"), nanoseconds("100.1")}));
  const Finished finished = warpgauge(
      "compare a.json a.json --report junit=out/junit.xml --report sarif=w=1.sarif "
      "--report github=/dev/stdout");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_TRUE(results::read_file(folder_ / "out" / "junit.xml").starts_with("<?xml"));
  EXPECT_EQ(Document::parse(results::read_file(folder_ / "w=1.sarif"))["version"], "2.1.0");
  for (const char* wrong : {"junit", "junit=", "pdf=x"}) {
    const Finished refused = warpgauge(fmt::format("compare a.json a.json --report {}", wrong));
    EXPECT_EQ(refused.status, 64) << refused.output;
  }
}

}  // namespace
}  // namespace warpgauge::ci
