// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/markdown_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/report/formats/report_formats.hpp"
#include "ci/report/source_excerpt.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestId = 150;
constexpr std::size_t kLongestSentence = 500;
constexpr std::size_t kLongestConclusion = 2'000;  // it ends with a command to copy
constexpr std::size_t kMostNotes = 20;
constexpr std::size_t kMostEdits = 40;
constexpr std::size_t kMostDetails = 400;  // more than fit
constexpr std::size_t kMostExcerpts = 20;  // of a benchmark
// Room for the sentences about omitted parts.
constexpr std::size_t kReserve = 400;
// The table comes first: it has every benchmark, the details only describe them further.
constexpr double kShareOfTable = 0.6;

std::string name(const std::string& text) { return markdown_code(shortened(text, kLongestId)); }

std::string sentence(const std::string& text) {
  return markdown_text(shortened(text, kLongestSentence));
}

void add_rows(const BenchmarkVerdict& benchmark, std::vector<std::string>& rows) {
  const auto add = [&](const std::string& verdict, const std::string& metric,
                       const std::string& before, const std::string& after,
                       const std::string& change, const std::string& explanation) {
    rows.push_back(fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", verdict,
                               name(benchmark.id), metric, before, after, change, explanation));
  };
  if (!benchmark.message.empty()) {
    add(to_string(benchmark.verdict), "", "", "", "", sentence(benchmark.message));
  }
  const ReportBlock block = report_block(benchmark);
  for (const ReportBlock::Row& row : block.rows) {
    const MetricVerdict& metric = *row.metric;
    const bool last = &row == &block.rows.back();
    const std::string also =
        last && !block.also.empty()
            ? fmt::format("{}also {}", row.why.empty() ? "" : "; ", sentence(block.also))
            : "";
    add(metric.metric_class == MetricClass::shown ? "shown" : to_string(metric.verdict),
        name(metric.metric), readable_figure(metric.metric, metric.before),
        readable_figure(metric.metric, metric.after), readable_change(metric.before, metric.after),
        sentence(row.why) + also);
  }
}

bool has_lines(const BenchmarkVerdict& benchmark) {
  return std::any_of(
      benchmark.metrics.begin(), benchmark.metrics.end(),
      [](const MetricVerdict& metric) { return metric.cause && !metric.cause->lines.empty(); });
}

// A folded section; empty without source to show.
std::string details(const GateVerdict& verdict, const BenchmarkVerdict& benchmark) {
  std::string text;
  std::size_t lines = 0;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!metric.cause) continue;
    for (const LineGrowth& growth : metric.cause->lines) {
      if (++lines > kMostExcerpts) continue;
      const std::string source = excerpt(verdict, growth.line);
      if (source.empty()) continue;
      text += fmt::format("{}, {} → {} at {}:\n\n{}\n", name(metric.metric),
                          readable_count(static_cast<double>(growth.before)),
                          readable_count(static_cast<double>(growth.after)),
                          name(fmt::format("{}:{}", growth.line.file, growth.line.line)),
                          markdown_block(source, "cpp"));
    }
  }
  if (text.empty()) return text;
  if (lines > kMostExcerpts) {
    text += fmt::format("{} left out here\n\n", counted(lines - kMostExcerpts, "more line"));
  }
  return fmt::format("\n<details><summary>{}: <code>{}</code></summary>\n\n{}</details>\n",
                     to_string(benchmark.verdict), html_text(shortened(benchmark.id, kLongestId)),
                     text);
}

std::string environment_table(const GateVerdict& verdict) {
  const auto rows = results::environment_table(verdict.before_session, verdict.after_session);
  if (rows.empty()) return {};
  std::vector<std::vector<std::string>> cells;
  cells.reserve(rows.size());
  const auto cell = [](const std::string& value) {
    return value.empty() ? std::string("–") : sentence(value);
  };
  for (const results::EnvironmentRow& row : rows) {
    cells.push_back(
        {row.field->name, cell(row.before), cell(row.after), row.differs ? "**differs**" : ""});
  }
  const auto differing = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.differs; }));
  return fmt::format("\n<details><summary>Environment: {}</summary>\n\n{}\n</details>\n",
                     differing == 0 ? "no difference" : counted(differing, "difference"),
                     markdown_table({{""}, {"before"}, {"after"}, {""}}, cells));
}

std::string notes(const GateVerdict& verdict) {
  std::string text;
  const std::size_t shown = std::min(verdict.notes.size(), kMostNotes);
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("\nNote: {}\n", sentence(verdict.notes[i]));
  }
  if (shown < verdict.notes.size()) {
    text += fmt::format("\n{} left out.\n", counted(verdict.notes.size() - shown, "more note"));
  }
  return text;
}

// The headline of the edits and, if it does not name all of them, a folded list.
std::string edits(const GateVerdict& verdict) {
  if (!verdict.edits) return {};
  std::string text =
      fmt::format("\n{}\n", markdown_text(shortened(headline(*verdict.edits), kLongestConclusion)));
  if (all_in_headline(*verdict.edits)) return text;
  const std::vector<std::string> lines = all_lines(*verdict.edits);
  const std::size_t shown = std::min(lines.size(), kMostEdits);
  text += fmt::format("\n<details><summary>{} of baselines and policy</summary>\n\n",
                      counted(lines.size(), "edit"));
  for (std::size_t i = 0; i < shown; ++i) text += sentence(lines[i]) + "\n\n";
  if (shown < lines.size()) {
    text += fmt::format("{} in `verdict.json`\n\n", counted(lines.size() - shown, "more edit"));
  }
  return text + "</details>\n";
}

// As many pieces as fit, in order, and the number of those that do not.
std::pair<std::string, std::size_t> fitting(const std::vector<std::string>& pieces,
                                            std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (text.size() + pieces[i].size() > bytes) return {text, pieces.size() - i};
    text += pieces[i];
  }
  return {text, 0};
}

}  // namespace

std::string markdown_report(const GateVerdict& verdict) {
  std::vector<std::string> rows;
  std::size_t unlisted = 0;
  std::vector<std::string> by_benchmark;
  std::size_t without_details = 0;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.verdict == Verdict::same) continue;
    add_rows(benchmark, rows);
    if (rows.size() > kMostListed) {
      unlisted += rows.size() - kMostListed;
      rows.resize(kMostListed);
    }
    if (by_benchmark.size() == kMostDetails) {
      without_details += has_lines(benchmark) ? 1 : 0;
    } else if (std::string each = details(verdict, benchmark); !each.empty()) {
      by_benchmark.push_back(std::move(each));
    }
  }
  std::string report =
      fmt::format("### Warpgauge: {}\n\n{}\n",
                  markdown_text(shortened(conclusion(verdict), kLongestConclusion)),
                  sentence(headline(verdict)));
  report += edits(verdict);
  const std::string end = notes(verdict) + environment_table(verdict);
  const auto room = [&] {
    const std::size_t taken = report.size() + end.size() + kReserve;
    return taken < kLongestMarkdown ? kLongestMarkdown - taken : 0;
  };
  if (!rows.empty()) {
    const auto bytes = static_cast<std::size_t>(static_cast<double>(room()) * kShareOfTable);
    const auto [table, left_out] = fitting(rows, by_benchmark.empty() ? room() : bytes);
    report +=
        "\n| verdict | benchmark | metric | before | after | change | why |\n"
        "|---|---|---|--:|--:|--:|---|\n" +
        table;
    if (left_out + unlisted > 0) {
      report += fmt::format("\n{} left out here: `warpgauge report verdict.json` shows more.\n",
                            counted(left_out + unlisted, "more row"));
    }
  }
  const auto [folded, not_fitting] = fitting(by_benchmark, room());
  report += folded;
  if (const std::size_t left_out = not_fitting + without_details; left_out > 0) {
    report += fmt::format("\nThe source for {} is left out here; `verdict.json` has it.\n",
                          counted(left_out, "more benchmark"));
  }
  return report + end;
}

}  // namespace warpgauge::ci
