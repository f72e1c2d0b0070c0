// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/markdown_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/report/brief_block.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/source_excerpt.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestId = 150;
constexpr std::size_t kLongestSentence = 500;
constexpr std::size_t kLongestConclusion = 2'000;  // it ends with a command to copy
constexpr std::size_t kMostNotes = 20;
constexpr std::size_t kMostEdits = 40;
constexpr std::size_t kMostOpenRows = 10;  // more are folded
constexpr std::size_t kMostDetails = 400;  // more than fit
constexpr std::size_t kMostExcerpts = 20;  // of a benchmark
// Room for the sentences about omitted parts.
constexpr std::size_t kReserve = 700;
// The table comes first: it has every benchmark, the details only describe them further.
constexpr double kShareOfTable = 0.6;

std::string name(const std::string& text) { return markdown_code(shortened(text, kLongestId)); }

std::string sentence(const std::string& text) {
  return markdown_text(shortened(text, kLongestSentence));
}

std::string linked(const std::string& text, const std::string& url) {
  return url.empty() ? text : fmt::format("[{}]({})", text, url);
}

// What a row says of why: first the source line where a counter grew or, failing that, the busiest.
std::string why_of(const GateVerdict& verdict, const BenchmarkVerdict& benchmark,
                   const BriefBlock& block, const ReportLinks& links) {
  std::vector<std::string> parts;
  std::optional<results::SourceLine> line = block.line;
  if (const auto busiest = line ? std::nullopt : busiest_line(benchmark)) {
    line.emplace();
    line->file = busiest->file;
    line->line = busiest->line;
  }
  if (line) {
    const std::string url = source_link(links, verdict, *line);
    const std::string place = fmt::format("{}:{}", line->file, line->line);
    const char* const what = block.line ? "" : "most traffic at ";
    if (!url.empty()) parts.push_back(what + linked(name(place), url));
  }
  if (!benchmark.message.empty()) parts.push_back(sentence(benchmark.message));
  if (block.decides != nullptr) parts.push_back(sentence(brief_interval(*block.decides)));
  parts.push_back(sentence(block.cause));
  parts.push_back(sentence(block.rest));
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Empty where there is nothing to say.
std::string row_of(const GateVerdict& verdict, const BenchmarkVerdict& benchmark,
                   const ReportLinks& links) {
  const BriefBlock block = brief_block(benchmark);
  if (benchmark.message.empty() && block.decides == nullptr) return {};
  std::string metric;
  std::string change;
  ReadablePair figures;
  if (block.decides != nullptr) {
    const MetricVerdict& decides = *block.decides;
    metric = name(decides.metric);
    figures = readable_pair(decides.metric, decides.before, decides.after);
    change = readable_change(decides.before, decides.after);
  }
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", to_string(benchmark.verdict),
                     linked(name(benchmark.id), page_link(links, benchmark.id)), metric,
                     figures.before, figures.after, change,
                     why_of(verdict, benchmark, block, links));
}

// "`transpose/padded/4096x4096`, time +92.5 %".
std::string brief(const BenchmarkVerdict& benchmark) {
  const BriefBlock block = brief_block(benchmark);
  const bool has_change = block.decides != nullptr && block.decides->before && block.decides->after;
  return fmt::format("{}, {}", name(benchmark.id),
                     has_change
                         ? fmt::format("{} {}", name(block.decides->metric),
                                       readable_change(block.decides->before, block.decides->after))
                         : to_string(benchmark.verdict));
}

bool has_interval(const BenchmarkVerdict& benchmark) {
  return std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const MetricVerdict& metric) { return metric.low && metric.high; });
}

bool has_comparison(const BenchmarkVerdict& benchmark) {
  return std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const MetricVerdict& metric) { return metric.before && metric.after; });
}

// The worst, the best, and how many were judged and how.
std::string summary_of(const std::vector<const BenchmarkVerdict*>& all) {
  std::string text;
  // What is only new is not bad, and the tally counts it.
  const bool some_do_not_pass = !all.empty() && all.front()->verdict != Verdict::added &&
                                exit_status(all.front()->verdict) != kExitPass;
  if (some_do_not_pass) text += fmt::format("Worst: {}. ", brief(*all.front()));
  const auto best = std::find_if(all.begin(), all.end(), [](const BenchmarkVerdict* each) {
    return each->verdict == Verdict::improved;
  });
  if (best != all.end()) text += fmt::format("Best: {}. ", brief(**best));
  const auto by_time = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto* each) { return has_interval(*each); }));
  const auto in_all = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const BenchmarkVerdict* each) {
        return has_interval(*each) || has_comparison(*each) || each->verdict == Verdict::same;
      }));
  const auto digits = [](std::size_t count) { return readable_count(static_cast<double>(count)); };
  text += fmt::format("Judged: {} of {}", digits(in_all), counted(all.size(), "benchmark"));
  if (by_time > 0) {
    text += fmt::format(", {} by an interval of their time, {} by other evidence", digits(by_time),
                        digits(in_all - by_time));
  }
  return text + ".";
}

constexpr const char* kTableHead =
    "\n| verdict | benchmark | metric | before | after | change | why |\n"
    "|---|---|---|--:|--:|--:|---|\n";

// The first rows, and the others folded.
std::string table_of(const std::vector<std::string>& rows) {
  const std::size_t open = std::min(rows.size(), kMostOpenRows);
  const auto split = rows.begin() + static_cast<std::ptrdiff_t>(open);
  std::string text = kTableHead + fmt::format("{}", fmt::join(rows.begin(), split, ""));
  if (open == rows.size()) return text;
  return text + fmt::format("\n<details><summary>{}</summary>\n{}{}\n</details>\n",
                            counted(rows.size() - open, "more row"), kTableHead,
                            fmt::join(split, rows.end(), ""));
}

bool has_lines(const BenchmarkVerdict& benchmark) {
  return std::any_of(
      benchmark.metrics.begin(), benchmark.metrics.end(),
      [](const MetricVerdict& metric) { return metric.cause && !metric.cause->lines.empty(); });
}

// A line, and what grew there.
struct Excerpt {
  const results::SourceLine* line;
  const MetricVerdict* newest;
  std::string grown;
};

// A folded section; empty without source to show.
std::string details(const GateVerdict& verdict, const BenchmarkVerdict& benchmark) {
  std::vector<Excerpt> excerpts;
  std::size_t lines = 0;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!metric.cause) continue;
    for (const LineGrowth& growth : metric.cause->lines) {
      const std::string grown =
          fmt::format("{}, {}", name(metric.metric),
                      readable_arrow(metric.metric, static_cast<double>(growth.before),
                                     static_cast<double>(growth.after)));
      // Where several metrics grew, the source is shown once.
      const auto known = std::find_if(excerpts.begin(), excerpts.end(), [&](const Excerpt& each) {
        return each.newest != &metric && each.line->file == growth.line.file &&
               each.line->line == growth.line.line;
      });
      if (known != excerpts.end()) {
        known->grown += "; " + grown;
        known->newest = &metric;
      } else if (++lines <= kMostExcerpts) {
        excerpts.push_back({&growth.line, &metric, grown});
      }
    }
  }
  std::string text;
  for (const Excerpt& each : excerpts) {
    const std::string source = excerpt(verdict, *each.line);
    if (source.empty()) continue;
    text += fmt::format("{} at {}:\n\n{}\n", each.grown,
                        name(fmt::format("{}:{}", each.line->file, each.line->line)),
                        markdown_block(source, "cpp"));
  }
  if (text.empty()) return text;
  if (lines > kMostExcerpts) {
    text += fmt::format("{} left out here\n\n", counted(lines - kMostExcerpts, "more line"));
  }
  return fmt::format("\n<details><summary>{}: <code>{}</code></summary>\n\n{}</details>\n",
                     to_string(benchmark.verdict), html_text(shortened(benchmark.id, kLongestId)),
                     text);
}

// "no difference", "2 differences", "the same but for measured and source".
std::string environment_in_brief(const std::vector<results::EnvironmentRow>& rows) {
  const auto differing = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.differs; }));
  if (differing > 0) return counted(differing, "difference");
  std::vector<std::string> others;
  for (const results::EnvironmentRow& row : rows) {
    const bool is_known = !row.before.empty() && !row.after.empty();
    if (is_known && row.before != row.after) others.emplace_back(row.field->name);
  }
  return others.empty() ? "no difference" : "the same but for " + enumerated(others);
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
  return fmt::format("\n<details><summary>Environment: {}</summary>\n\n{}\n</details>\n",
                     environment_in_brief(rows),
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

// As many pieces as fit, in order.
std::vector<std::string> fitting(const std::vector<std::string>& pieces, std::size_t bytes) {
  std::vector<std::string> those;
  std::size_t taken = 0;
  for (const std::string& each : pieces) {
    if (taken + each.size() > bytes) break;
    taken += each.size();
    those.push_back(each);
  }
  return those;
}

}  // namespace

std::string markdown_report(const GateVerdict& verdict, const ReportLinks& links) {
  std::vector<std::string> rows;
  std::size_t unlisted = 0;
  std::vector<std::string> by_benchmark;
  std::size_t without_details = 0;
  const auto all = furthest_first(listed(verdict, verdict.benchmarks.size()));
  for (const BenchmarkVerdict* listed_one : all) {
    const BenchmarkVerdict& benchmark = *listed_one;
    if (benchmark.verdict == Verdict::same) continue;
    if (rows.size() == kMostListed) {
      ++unlisted;
    } else if (std::string row = row_of(verdict, benchmark, links); !row.empty()) {
      rows.push_back(std::move(row));
    }
    if (by_benchmark.size() == kMostDetails) {
      without_details += has_lines(benchmark) ? 1 : 0;
    } else if (std::string each = details(verdict, benchmark); !each.empty()) {
      by_benchmark.push_back(std::move(each));
    }
  }
  std::string report =
      fmt::format("### Warpgauge: {}\n\n{}\n\n{}\n",
                  markdown_text(shortened(conclusion(verdict), kLongestConclusion)),
                  summary_of(all), sentence(headline(verdict)));
  report += edits(verdict);
  const std::string end = notes(verdict) + environment_table(verdict);
  const auto room = [&] {
    const std::size_t taken = report.size() + end.size() + kReserve;
    return taken < kLongestMarkdown ? kLongestMarkdown - taken : 0;
  };
  if (!rows.empty()) {
    const auto bytes = static_cast<std::size_t>(static_cast<double>(room()) * kShareOfTable);
    const auto listed = fitting(rows, by_benchmark.empty() ? room() : bytes);
    report += table_of(listed);
    if (const std::size_t left_out = rows.size() - listed.size() + unlisted; left_out > 0) {
      report += fmt::format("\n{} left out here: `warpgauge report verdict.json` shows more.\n",
                            counted(left_out, "more row"));
    }
  }
  const auto folded = fitting(by_benchmark, room());
  report += fmt::format("{}", fmt::join(folded, ""));
  const std::size_t left_out = by_benchmark.size() - folded.size() + without_details;
  if (left_out > 0) {
    report += fmt::format("\nThe source for {} is left out here; `verdict.json` has it.\n",
                          counted(left_out, "more benchmark"));
  }
  return report + end;
}

}  // namespace warpgauge::ci
