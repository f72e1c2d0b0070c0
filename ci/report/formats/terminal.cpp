// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ci/report/brief_block.hpp"
#include "ci/report/formats/listed.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/terminal_lines.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/text/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

// Longer ids would push the figures off the screen.
constexpr std::size_t kLongestName = 100;
constexpr std::size_t kLongestExplanation = 1'000;

// So that a benchmark's name stands where it stood in most reports.
constexpr std::size_t kLeastVerdictColumns = 7;

constexpr std::size_t kIndent = 6;  // of the lines of a block

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

bool folded(const GateVerdict& verdict, const BenchmarkVerdict& benchmark, TerminalStyle style) {
  if (benchmark.verdict == Verdict::added) return !verdict.no_baseline.empty();
  // What came or went has a message, which is to be read.
  const bool is_worth_a_look =
      benchmark.verdict != Verdict::same &&
      (benchmark.verdict != Verdict::not_worse || !benchmark.message.empty());
  return !style.verbose && !is_worth_a_look;
}

// "time  40.54 µs → 78.03 µs  +92.5 %  ┊│┊·······━━  +91.9 to +92.9 %, floor 0.7 %".
std::string metric_line(const MetricVerdict& metric, const std::string& bar) {
  std::string line = fmt::format("{}  {}", name_of(metric.metric),
                                 readable_arrow(metric.metric, metric.before, metric.after));
  const std::string change = readable_change(metric.before, metric.after);
  if (metric.before && metric.after && *metric.before != 0) line += "  " + change;
  for (const std::string& part : {bar, brief_interval(metric)}) {
    if (!part.empty()) line += "  " + part;
  }
  // Of what a policy does not gate a baseline keeps no figure.
  if (metric.metric_class == MetricClass::shown) {
    line += metric.before ? "  only shown, not gated" : "  only shown, not gated: no figure before";
  }
  return line;
}

class Blocks {
 public:
  Blocks(std::size_t verdict_columns, TerminalStyle style)
      : verdict_columns_(verdict_columns), style_(style) {}

  void add(const BenchmarkVerdict& benchmark) {
    const std::string verdict = to_string(benchmark.verdict);
    const std::string padding(verdict_columns_ - verdict.size() + 2, ' ');
    text_ += fmt::format("  {}{}{}\n", painted(verdict, colour_of(exit_status(benchmark.verdict))),
                         padding, name_of(benchmark.id));
    add_line(benchmark.message, false);
    if (style_.verbose) {
      add_all(benchmark);
    } else {
      add_brief(benchmark);
    }
  }

  [[nodiscard]] std::string text() const {
    return has_bar_ ? text_ + "\n  ━ interval of the change, │ no change, ┊ floor\n" : text_;
  }

 private:
  void add_brief(const BenchmarkVerdict& benchmark) {
    const BriefBlock block = brief_block(benchmark);
    if (block.decides == nullptr) return;
    add_metric(*block.decides);
    add_line(block.cause, false);
    add_line(block.rest, true);
  }

  void add_all(const BenchmarkVerdict& benchmark) {
    if (benchmark.verdict == Verdict::same) {
      for (const MetricVerdict& metric : benchmark.metrics) add_metric(metric);
      return;
    }
    const ReportBlock block = report_block(benchmark);
    for (const ReportBlock::Row& row : block.rows) {
      add_metric(*row.metric);
      add_line(row.why, true);
    }
    if (!block.also.empty()) add_line("also " + block.also, true);
  }

  void add_metric(const MetricVerdict& metric) {
    const std::string bar = interval_bar(metric);
    has_bar_ = has_bar_ || !bar.empty();
    add_line(metric_line(metric, bar), false);
  }

  void add_line(const std::string& line, bool dim) {
    if (line.empty()) return;
    const std::string safe = log_text(one_line(shortened(line, kLongestExplanation)));
    const std::string lines = wrapped(safe, kIndent, style_.columns);
    text_ += std::string(kIndent, ' ') + (dim ? painted(lines, kDim) : lines) + "\n";
  }

  [[nodiscard]] std::string painted(const std::string& text, const char* colour) const {
    return style_.colour ? colour + text + kPlain : text;
  }

  std::size_t verdict_columns_;
  TerminalStyle style_;
  std::string text_;
  bool has_bar_ = false;
};

std::string folded_lines(const GateVerdict& verdict, TerminalStyle style) {
  std::string text;
  for (const Verdict each : {Verdict::added, Verdict::not_worse, Verdict::same}) {
    std::size_t count = 0;
    for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
      if (benchmark.verdict == each && folded(verdict, benchmark, style)) ++count;
    }
    if (count > 0) text += fmt::format("  {}: {}\n", to_string(each), counted(count, "benchmark"));
  }
  return text;
}

// Of the benchmarks that are wanted, or as many of them as a report has.
template <class Wanted>
std::string blocks_of(const GateVerdict& verdict, Wanted wanted, TerminalStyle style) {
  std::vector<const BenchmarkVerdict*> shown;
  std::size_t verdict_columns = kLeastVerdictColumns;
  for (const BenchmarkVerdict* benchmark : furthest_first(listed(verdict, kMostListed))) {
    if (!wanted(*benchmark)) continue;
    shown.push_back(benchmark);
    verdict_columns = std::max(verdict_columns, to_string(benchmark->verdict).size());
  }
  Blocks blocks(verdict_columns, style);
  for (const BenchmarkVerdict* benchmark : shown) blocks.add(*benchmark);
  std::string text = blocks.text();
  const auto all = static_cast<std::size_t>(
      std::count_if(verdict.benchmarks.begin(), verdict.benchmarks.end(), wanted));
  if (all > shown.size()) {
    text += fmt::format("  {} left out here; verdict.json holds all\n",
                        counted(all - shown.size(), "more benchmark"));
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

std::string terminal_report(const GateVerdict& verdict, TerminalStyle style) {
  std::string report = one_line(headline(verdict)) + "\n";
  if (verdict.edits) {
    report += one_line(shortened(headline(*verdict.edits), kLongestExplanation)) + "\n";
  }
  const auto not_folded = [&](const BenchmarkVerdict& benchmark) {
    return !folded(verdict, benchmark, style);
  };
  report += "\n" + blocks_of(verdict, not_folded, style) + folded_lines(verdict, style) + "\n";
  const std::size_t notes = std::min(verdict.notes.size(), kMostNotesListed);
  for (std::size_t i = 0; i < notes; ++i) {
    const std::string note = one_line(shortened(verdict.notes[i], kLongestExplanation));
    report += wrapped("note: " + note, 0, style.columns) + "\n";
  }
  if (notes < verdict.notes.size()) {
    report += fmt::format("{} left out\n", counted(verdict.notes.size() - notes, "more note"));
  }
  return log_text(report + last_line(verdict, style.colour) + "\n");
}

std::string terminal_outcome(const GateVerdict& verdict, TerminalStyle style) {
  const auto does_not_pass = [&](const BenchmarkVerdict& benchmark) {
    return exit_status(benchmark.verdict) != kExitPass && !folded(verdict, benchmark, style);
  };
  const std::string blocks = blocks_of(verdict, does_not_pass, style);
  return log_text(blocks + (blocks.empty() ? "" : "\n") + last_line(verdict, style.colour) + "\n");
}

}  // namespace warpgauge::ci
