// SPDX-License-Identifier: Apache-2.0
#include "ci/report_markdown.hpp"

#include <fmt/format.h>

#include "ci/explanation.hpp"
#include "ci/markdown.hpp"
#include "ci/text.hpp"

namespace warpgauge::ci {
namespace {

void add_rows(const BenchmarkVerdict& benchmark, std::string& table) {
  const auto row = [&](const std::string& verdict, const std::string& metric,
                       const std::string& before, const std::string& after,
                       const std::string& change, const std::string& explanation) {
    table += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", verdict,
                         markdown_code(benchmark.id), metric, before, after, change, explanation);
  };
  if (!benchmark.message.empty()) {
    row(to_string(benchmark.verdict), "", "", "", "", markdown_text(benchmark.message));
  }
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!worth_listing(metric)) continue;
    const bool shown = metric.metric_class == MetricClass::shown;
    row(shown ? "shown" : to_string(metric.verdict), markdown_code(metric.metric),
        readable_figure(metric.metric, metric.before), readable_figure(metric.metric, metric.after),
        readable_change(metric.before, metric.after), markdown_text(explain(metric)));
  }
}

}  // namespace

std::string markdown_report(const GateVerdict& verdict) {
  std::string report = fmt::format("### Warpgauge: {}\n\n{}\n", markdown_text(conclusion(verdict)),
                                   markdown_text(headline(verdict)));
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
    report += fmt::format("\nNote: {}\n", markdown_text(note));
  }
  return report;
}

}  // namespace warpgauge::ci
