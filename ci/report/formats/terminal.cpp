// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/text/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

using Row = std::vector<std::string>;

// Longer ids would push the figures off the screen.
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestExplanation = 1'000;

constexpr const char* kPlain = "\x1b[0m";
constexpr const char* kDim = "\x1b[2m";

std::string name_of(const std::string& text) { return one_line(shortened(text, kLongestName)); }

const char* colour_of(int exit_status) {
  switch (exit_status) {
    case kExitPass:
      return "\x1b[1;32m";
    case kExitNoVerdict:
      return "\x1b[1;33m";
    default:
      return "\x1b[1;31m";
  }
}

// A row of the table and the explanations below it, which do not affect the columns' widths.
struct Entry {
  Row row;
  std::vector<std::string> explanations;
  Verdict verdict;
};

bool folded(const GateVerdict& verdict, const BenchmarkVerdict& benchmark) {
  return benchmark.verdict == Verdict::same ||
         (benchmark.verdict == Verdict::added && !verdict.no_baseline.empty());
}

void add_entries(const BenchmarkVerdict& benchmark, std::vector<Entry>& entries) {
  std::string verdict = to_string(benchmark.verdict);
  std::string id = name_of(benchmark.id);
  if (!benchmark.message.empty()) {
    entries.push_back({{verdict, id, "", "", "", ""}, {benchmark.message}, benchmark.verdict});
  }
  const ReportBlock block = report_block(benchmark);
  for (const ReportBlock::Row& row : block.rows) {
    const MetricVerdict& metric = *row.metric;
    // A benchmark's further rows go below its name, with their own verdicts where they differ.
    const bool first = !id.empty() && benchmark.message.empty();
    entries.push_back(
        {{first ? verdict
          : metric.verdict == Verdict::same || metric.verdict == benchmark.verdict
              ? ""
              : to_string(metric.verdict),
          first ? id : "", name_of(metric.metric), readable_figure(metric.metric, metric.before),
          readable_figure(metric.metric, metric.after),
          readable_change(metric.before, metric.after)},
         {row.why},
         first ? benchmark.verdict : metric.verdict});
    id.clear();
  }
  if (!block.also.empty()) entries.back().explanations.push_back("also " + block.also);
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

// A table's row with its first cell, the verdict, in colour.
std::string coloured(std::string line, const Entry& entry) {
  constexpr std::size_t kMargin = 2;
  const std::size_t length = entry.row.front().size();
  if (length == 0) return line;
  line.insert(kMargin + length, kPlain);
  return line.insert(kMargin, colour_of(exit_status(entry.verdict)));
}

std::string table_of(const std::vector<Entry>& entries, bool colour) {
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
  std::string text = table.substr(0, begin);
  for (const Entry& entry : entries) {
    const std::size_t end = table.find('\n', begin) + 1;
    const std::string line = table.substr(begin, end - begin);
    text += colour ? coloured(line, entry) : line;
    for (const std::string& explanation : entry.explanations) {
      if (explanation.empty()) continue;
      const std::string why = log_text(one_line(shortened(explanation, kLongestExplanation)));
      text += colour ? fmt::format("      {}{}{}\n", kDim, why, kPlain)
                     : fmt::format("      {}\n", why);
    }
    begin = end;
  }
  return text;
}

// Of the benchmarks that are wanted.
template <class Wanted>
std::string table_of(const GateVerdict& verdict, Wanted wanted, bool colour) {
  std::vector<Entry> entries;
  auto left_out = static_cast<std::size_t>(
      std::count_if(verdict.benchmarks.begin(), verdict.benchmarks.end(), wanted));
  for (const BenchmarkVerdict* benchmark : listed(verdict, kMostListed)) {
    if (!wanted(*benchmark) || entries.size() >= kMostListed) continue;
    add_entries(*benchmark, entries);
    --left_out;
  }
  std::string text = entries.empty() ? std::string() : table_of(entries, colour);
  if (left_out > 0) {
    text += fmt::format("  {} left out here; verdict.json holds all\n",
                        counted(left_out, "more benchmark"));
  }
  return text;
}

std::string last_line(const GateVerdict& verdict, bool colour) {
  std::string line = conclusion(verdict);
  if (!colour) return line;
  const std::size_t word = outcome(verdict).size();
  return colour_of(verdict.exit_status) + line.substr(0, word) + kPlain + line.substr(word);
}

}  // namespace

std::string terminal_report(const GateVerdict& verdict, bool colour) {
  std::string report = one_line(headline(verdict)) + "\n";
  if (verdict.edits) {
    report += one_line(shortened(headline(*verdict.edits), kLongestExplanation)) + "\n";
  }
  report += "\n";
  report += table_of(
      verdict, [&](const auto& benchmark) { return !folded(verdict, benchmark); }, colour);
  report += folded_line(verdict) + "\n";
  const std::size_t notes = std::min(verdict.notes.size(), kMostNotesListed);
  for (std::size_t i = 0; i < notes; ++i) {
    report += fmt::format("note: {}\n", one_line(shortened(verdict.notes[i], kLongestExplanation)));
  }
  if (notes < verdict.notes.size()) {
    report += fmt::format("{} left out\n", counted(verdict.notes.size() - notes, "more note"));
  }
  return log_text(report + last_line(verdict, colour) + "\n");
}

std::string terminal_outcome(const GateVerdict& verdict, bool colour) {
  const auto does_not_pass = [&](const BenchmarkVerdict& benchmark) {
    return exit_status(benchmark.verdict) != kExitPass && !folded(verdict, benchmark);
  };
  const std::string table = table_of(verdict, does_not_pass, colour);
  return log_text(table + (table.empty() ? "" : "\n") + last_line(verdict, colour) + "\n");
}

}  // namespace warpgauge::ci
