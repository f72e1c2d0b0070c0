// SPDX-License-Identifier: Apache-2.0
#include "ci/report_terminal.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ci/explanation.hpp"
#include "ci/text.hpp"

namespace warpgauge::ci {
namespace {

using Row = std::vector<std::string>;

// A row of the table and the lines that explain it below, which keep out of the columns.
struct Entry {
  Row row;
  std::string explanation;
};

bool folded(const GateVerdict& verdict, const BenchmarkVerdict& benchmark) {
  return benchmark.verdict == Verdict::same ||
         (benchmark.verdict == Verdict::added && !verdict.no_baseline.empty());
}

void add_entries(const BenchmarkVerdict& benchmark, std::vector<Entry>& entries) {
  std::string verdict = to_string(benchmark.verdict);
  std::string id = one_line(benchmark.id);
  if (!benchmark.message.empty()) {
    entries.push_back({{verdict, id, "", "", "", ""}, one_line(benchmark.message)});
  }
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!worth_listing(metric)) continue;
    // A benchmark's other metrics stand below its name, with their own verdicts where they differ.
    const bool first = !id.empty() && benchmark.message.empty();
    entries.push_back(
        {{first ? verdict
          : metric.verdict == Verdict::same || metric.verdict == benchmark.verdict
              ? ""
              : to_string(metric.verdict),
          first ? id : "", one_line(metric.metric), readable_figure(metric.metric, metric.before),
          readable_figure(metric.metric, metric.after),
          readable_change(metric.before, metric.after)},
         explain(metric)});
    id.clear();
  }
}

std::string folded_line(const GateVerdict& verdict) {
  std::string text;
  for (const Verdict each : {Verdict::added, Verdict::same}) {
    std::size_t count = 0;
    for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
      if (benchmark.verdict == each && folded(verdict, benchmark)) ++count;
    }
    if (count > 0) text += fmt::format("  {}: {}\n", to_string(each), counted(count, "benchmark"));
  }
  return text;
}

}  // namespace

std::string terminal_report(const GateVerdict& verdict) {
  std::string report = one_line(headline(verdict)) + "\n\n";
  std::vector<Entry> entries;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (!folded(verdict, benchmark)) add_entries(benchmark, entries);
  }
  if (!entries.empty()) {
    std::vector<Row> rows;
    rows.reserve(entries.size());
    for (const Entry& entry : entries) rows.push_back(entry.row);
    const std::string table = aligned_table({{"verdict"},
                                             {"benchmark"},
                                             {"metric"},
                                             {"before", Align::right},
                                             {"after", Align::right},
                                             {"change", Align::right}},
                                            rows);
    std::size_t begin = table.find('\n') + 1;
    report += table.substr(0, begin);
    for (const Entry& entry : entries) {
      const std::size_t end = table.find('\n', begin) + 1;
      report += table.substr(begin, end - begin);
      if (!entry.explanation.empty()) report += fmt::format("      {}\n", entry.explanation);
      begin = end;
    }
  }
  report += folded_line(verdict) + "\n";
  for (const std::string& note : verdict.notes) report += fmt::format("note: {}\n", one_line(note));
  return report + conclusion(verdict) + "\n";
}

}  // namespace warpgauge::ci
