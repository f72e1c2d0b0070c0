// SPDX-License-Identifier: Apache-2.0
#include "ci/report_markdown.hpp"

#include <fmt/format.h>

#include <string_view>

#include "ci/explanation.hpp"
#include "ci/text.hpp"

namespace warpgauge::ci {
namespace {

// Text from elsewhere must not become markup, end a cell or call someone.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char character : one_line(text)) {
    switch (character) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '@':
        safe += "&#64;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '~':
        safe += '\\';
        [[fallthrough]];
      default:
        safe += character;
    }
  }
  return safe;
}

// As code, which keeps names with underscores readable; a text that would end it is escaped.
std::string code(std::string_view text) {
  const std::string line = one_line(text);
  if (line.find_first_of("`|") != line.npos) return escaped(line);
  return fmt::format("`{}`", line);
}

void add_rows(const BenchmarkVerdict& benchmark, std::string& table) {
  const auto row = [&](const std::string& verdict, const std::string& metric,
                       const std::string& before, const std::string& after,
                       const std::string& change, const std::string& explanation) {
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", verdict, code(benchmark.id),
                         metric, before, after, change, explanation);
  };
  if (!benchmark.message.empty()) {
    row(to_string(benchmark.verdict), "", "", "", "", escaped(benchmark.message));
  }
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!worth_listing(metric)) continue;
    const bool shown = metric.metric_class == MetricClass::shown;
    row(shown ? "shown" : to_string(metric.verdict), code(metric.metric),
        readable_figure(metric.metric, metric.before), readable_figure(metric.metric, metric.after),
        readable_change(metric.before, metric.after), escaped(explain(metric)));
  }
}

}  // namespace

std::string markdown_report(const GateVerdict& verdict) {
  std::string report = fmt::format("### Warpgauge: {}\n\n{}\n", escaped(conclusion(verdict)),
                                   escaped(headline(verdict)));
  std::string table;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.verdict != Verdict::same) add_rows(benchmark, table);
  }
  if (!table.empty()) {
    report +=
        "\n| verdict | benchmark | metric | before | after | change | why |\n"
        "|---|---|---|--:|--:|--:|---|\n" +
        table;
  }
  for (const std::string& note : verdict.notes) {
    report += fmt::format("\nNote: {}\n", escaped(note));
  }
  return report;
}

}  // namespace warpgauge::ci
