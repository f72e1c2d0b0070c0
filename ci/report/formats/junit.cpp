// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/junit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <new>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <vector>

#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/text/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

// Of a message; readers load a report whole.
constexpr std::size_t kLongestInJunit = 4'000;
// Of one benchmark.
constexpr std::size_t kMostRows = 100;
constexpr std::size_t kMostProperties = 1'000;

// The element for a test case's outcome; empty if it passed.
std::string outcome_element(const GateVerdict& verdict, Verdict each) {
  switch (each) {
    case Verdict::same:
    case Verdict::not_worse:
    case Verdict::improved:
      return "";
    case Verdict::added:
    case Verdict::inconclusive:
      return verdict.allowed.contains(each) ? "skipped" : "failure";
    case Verdict::regressed:
      return "failure";
    case Verdict::not_measured:
    case Verdict::missing:
    case Verdict::failed:
      return "error";
  }
  return "error";
}

// XML 1.0 forbids control characters, lone surrogates, U+FFFE and U+FFFF, even escaped.
std::string xml_text(const std::string& text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code_point = next_code_point(text, at);
    const bool forbidden =
        (code_point < 0x20 && code_point != '\n') || code_point == 0xFFFE || code_point == 0xFFFF;
    if (!forbidden) append(safe, code_point);
  }
  return safe;
}

// Without memory pugixml leaves out what it should add, or its name, and says so at most by what it
// returns: a failure could be missing from the report.
void require(bool is_there) {
  if (!is_there) throw std::bad_alloc();
}

pugi::xml_node add(pugi::xml_node node, const char* name) {
  const pugi::xml_node child = node.append_child(name);
  require(std::string_view(child.name()) == name);
  return child;
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  pugi::xml_attribute attribute = node.append_attribute(name);
  require(std::string_view(attribute.name()) == name);
  require(attribute.set_value(xml_text(one_line(value)).c_str()));
}

void set_text(pugi::xml_node node, const std::string& text) {
  require(node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str()));
}

// The terminal's text for it.
std::string story_of(const BenchmarkVerdict& benchmark) {
  const auto told = [](const std::string& text) {
    return one_line(shortened(text, kLongestInJunit));
  };
  std::string story;
  if (!benchmark.message.empty()) {
    story = fmt::format("{}: {}\n", to_string(benchmark.verdict), told(benchmark.message));
  }
  const ReportBlock block = report_block(benchmark);
  const std::size_t shown = std::min(block.rows.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const ReportBlock::Row& row = block.rows[i];
    const MetricVerdict& metric = *row.metric;
    story += fmt::format(
        "{} {}: {} ({}){}{}\n",
        metric.metric_class == MetricClass::shown ? "shown" : to_string(metric.verdict),
        told(metric.metric), readable_arrow(metric.metric, metric.before, metric.after),
        readable_change(metric.before, metric.after), row.why.empty() ? "" : "; ", told(row.why));
  }
  if (shown < block.rows.size()) {
    story += fmt::format("{}\n", counted(block.rows.size() - shown, "more metric"));
  }
  if (!block.also.empty()) story += fmt::format("also {}\n", told(block.also));
  return story;
}

void add_properties(const BenchmarkVerdict& benchmark, pugi::xml_node test) {
  pugi::xml_node properties;
  std::size_t added = 0;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (metric.metric == results::kTimeMetric || !metric.after) continue;
    if (++added > kMostProperties) return;
    if (!properties) properties = add(test, "properties");
    pugi::xml_node property = add(properties, "property");
    set(property, "name", metric.metric);
    set(property, "value", fmt::format("{}", *metric.after));
  }
}

void add_test(const GateVerdict& verdict, const BenchmarkVerdict& benchmark, pugi::xml_node suite) {
  pugi::xml_node test = add(suite, "testcase");
  const std::size_t slash = benchmark.id.find('/');
  const bool has_family = slash != benchmark.id.npos;
  set(test, "classname", benchmark.id.substr(0, slash));
  set(test, "name", has_family ? benchmark.id.substr(slash + 1) : benchmark.id);
  for (const MetricVerdict& metric : benchmark.metrics) {
    // Without a time, leave the attribute out rather than write 0.
    if (metric.metric != results::kTimeMetric || !metric.after) continue;
    set(test, "time", fmt::format("{:.9f}", *metric.after / results::kNanosecondsPerSecond));
  }
  add_properties(benchmark, test);
  const std::string element = outcome_element(verdict, benchmark.verdict);
  if (element.empty()) return;
  const std::string story = story_of(benchmark);
  pugi::xml_node outcome = add(test, element.c_str());
  set(outcome, "message", shortened(story.substr(0, story.find('\n')), kLongestMessage));
  if (element == "skipped") return;
  set(outcome, "type", to_string(benchmark.verdict));
  set_text(outcome, story);
}

// In the place of those that are left out: it does not pass where one of them does not.
void add_more(const GateVerdict& verdict, std::size_t shown, bool passes, pugi::xml_node suite) {
  const std::size_t left_out = verdict.benchmarks.size() - shown;
  pugi::xml_node test = add(suite, "testcase");
  set(test, "classname", "warpgauge");
  set(test, "name", counted(left_out, "more benchmark"));
  set(add(test, passes ? "skipped" : "failure"), "message",
      fmt::format("{} left out here; verdict.json holds all", counted(left_out, "benchmark")));
}

// The comparison as a whole, where that does not pass.
void add_shortfall(const Shortfall& shortfall, pugi::xml_node suite) {
  pugi::xml_node test = add(suite, "testcase");
  set(test, "classname", "warpgauge");
  set(test, "name", "comparison");
  pugi::xml_node error = add(test, "error");
  set(error, "message", shortened(one_line(shortfall.what), kLongestMessage));
  set(error, "type", "comparison");
}

// Returns the suite, below all suites.
pugi::xml_node add_suite(const GateVerdict& verdict, pugi::xml_document& document) {
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = add(document.root(), "testsuites");
  pugi::xml_node suite = add(suites, "testsuite");
  set(suite, "name", "warpgauge: " + headline(verdict));
  return suite;
}

std::string said(const GateVerdict& verdict) {
  std::string text = conclusion(verdict) + "\n";
  const std::size_t shown = std::min(verdict.notes.size(), kMostNotesListed);
  for (std::size_t i = 0; i < shown; ++i) {
    text += "note: " + one_line(shortened(verdict.notes[i], kLongestInJunit)) + "\n";
  }
  if (shown < verdict.notes.size()) {
    text += counted(verdict.notes.size() - shown, "more note") + "\n";
  }
  return text;
}

}  // namespace

std::string junit_report(const GateVerdict& verdict) {
  std::map<std::string, std::size_t> all;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    ++all[outcome_element(verdict, benchmark.verdict)];
  }
  const auto benchmarks = listed(verdict, kMostListed);
  std::map<std::string, std::size_t> counts;  // of elements
  for (const BenchmarkVerdict* benchmark : benchmarks) {
    ++counts[outcome_element(verdict, benchmark->verdict)];
  }
  const bool has_more = benchmarks.size() < verdict.benchmarks.size();
  const bool more_pass = all["failure"] == counts["failure"] && all["error"] == counts["error"];
  if (has_more) ++counts[more_pass ? "skipped" : "failure"];
  counts["error"] += verdict.shortfalls.size();

  pugi::xml_document document;
  pugi::xml_node suite = add_suite(verdict, document);
  pugi::xml_node suites = suite.parent();
  for (pugi::xml_node node : {suites, suite}) {
    set(node, "tests",
        fmt::format("{}", benchmarks.size() + verdict.shortfalls.size() + (has_more ? 1 : 0)));
    set(node, "failures", fmt::format("{}", counts["failure"]));
    set(node, "errors", fmt::format("{}", counts["error"]));
  }
  set(suite, "skipped", fmt::format("{}", counts["skipped"]));
  if (verdict.after_session) {
    // JUnit's readers expect a timestamp without a zone.
    const std::string& created = verdict.after_session->created;
    set(suite, "timestamp", created.substr(0, created.find('Z')));
  }
  for (const Shortfall& each : verdict.shortfalls) add_shortfall(each, suite);
  for (const BenchmarkVerdict* benchmark : benchmarks) add_test(verdict, *benchmark, suite);
  if (has_more) add_more(verdict, benchmarks.size(), more_pass, suite);
  set_text(add(suite, "system-out"), said(verdict));
  std::ostringstream text;
  document.save(text, "  ");
  require(text.good());
  return text.str();
}

}  // namespace warpgauge::ci
