// SPDX-License-Identifier: Apache-2.0
#include "ci/history/history_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>

#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kCommitDigits = 10;
constexpr std::size_t kUuidCharacters = 12;  // tells the dies of a fleet apart
constexpr const char* kAbsent = "–";

std::string or_absent(const std::string& text) { return text.empty() ? kAbsent : one_line(text); }

// "2026-11-21 04:19".
std::string minute(const std::string& utc) {
  return one_line(utc.size() < 16 ? utc : utc.substr(0, 10) + " " + utc.substr(11, 5));
}

std::string committed(const HistoryRun& run) {
  return run.commit_time_known ? minute(utc_of(run.commit_time)) : kAbsent;
}

// "step +4.0 %, worse".
std::string change_words(const Trend& trend, const TrendChange& change) {
  return fmt::format("{} {}, {}", to_string(change.kind),
                     readable_change(change.before, change.after),
                     is_worse(trend, change) ? "worse" : "better");
}

// "step +4.0 %, worse"; of a drift where it begins and where it ends.
std::string change_mark(const Trend& trend, std::size_t point) {
  std::vector<std::string> marks;
  for (const TrendChange& change : trend.changes) {
    const std::string words = change_words(trend, change);
    if (change.kind != TrendChangeKind::drift) {
      if (change.first == point) marks.push_back(words);
      continue;
    }
    if (change.first == point) marks.push_back("begin of " + words);
    if (change.last == point) marks.push_back("end of " + words);
  }
  return fmt::format("{}", fmt::join(marks, "; "));
}

// As RFC 4180 asks for, in one line. What a spreadsheet would take for a formula, to run it, is
// made text, as OWASP advises ("CSV Injection").
std::string csv_field(const std::string& raw) {
  std::string text = one_line(raw);
  if (text.find_first_of("=+-@") == 0) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  }
  return quoted + "\"";
}

}  // namespace

std::string commit_text(const HistoryRun& run) {
  const results::Source& source = run.session.source;
  if (source.revision.empty()) return kAbsent;
  return one_line(source.revision.substr(0, kCommitDigits)) + (source.modified ? "+" : "");
}

std::string runs_text(const std::vector<HistoryRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const HistoryRun& run : runs) {
    const results::Device& device = run.session.device;
    rows.push_back({std::to_string(run.number), commit_text(run), committed(run),
                    minute(run.session.created), one_line(device.name),
                    or_absent(device.uuid.substr(0, kUuidCharacters)), or_absent(device.driver),
                    or_absent(run.session.toolchain.cuda)});
  }
  return aligned_table({{"run", Align::right},
                        {"commit"},
                        {"committed"},
                        {"measured"},
                        {"device"},
                        {"die"},
                        {"driver"},
                        {"CUDA"}},
                       rows);
}

std::string trend_text(const std::vector<HistoryRun>& runs, const Trend& trend) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < trend.points.size(); ++i) {
    const TrendPoint& point = trend.points[i];
    const HistoryRun& run = runs[point.run];
    const auto figure = [&](double value) { return readable_figure(trend.metric, value); };
    rows.push_back(
        {std::to_string(run.number), commit_text(run), committed(run), minute(run.session.created),
         or_absent(run.session.device.uuid.substr(0, kUuidCharacters)), figure(point.figure),
         point.interval
             ? fmt::format("{} to {}", figure(point.interval->low), figure(point.interval->high))
             : kAbsent,
         change_mark(trend, i)});
  }
  return aligned_table({{"run", Align::right},
                        {"commit"},
                        {"committed"},
                        {"measured"},
                        {"die"},
                        {one_line(trend.metric), Align::right},
                        {"interval"},
                        {"change"}},
                       rows);
}

std::string changes_text(const std::string& device_key, const std::vector<HistoryRun>& runs,
                         const std::vector<Trend>& trends) {
  struct Found {
    const Trend* trend;
    const TrendChange* change;
  };
  // By the index of the run that each begins at.
  std::map<std::size_t, std::vector<Found>, std::greater<>> by_run;
  std::size_t count = 0;
  std::set<std::string> benchmarks;
  for (const Trend& trend : trends) {
    benchmarks.insert(trend.benchmark);
    for (const TrendChange& change : trend.changes) {
      by_run[trend.points[change.first].run].push_back({&trend, &change});
      ++count;
    }
  }
  std::string text =
      fmt::format("{}: {} in {} of {}\n", one_line(device_key), counted(count, "change"),
                  counted(runs.size(), "run"), counted(benchmarks.size(), "benchmark"));
  for (const auto& [at, all] : by_run) {
    const HistoryRun& run = runs[at];
    text += fmt::format("\nrun {}, commit {}, measured {}", run.number, commit_text(run),
                        minute(run.session.created));
    if (at > 0) {
      text += ", after " + commit_text(runs[at - 1]);
      // But for the die: fleets have many.
      const auto others = differences(runs[at - 1].session, run.session);
      if (!others.empty()) text += "; also " + one_line(listed(others));
    }
    text += "\n\n";
    std::vector<std::vector<std::string>> rows;
    for (const Found& found : all) {
      const Trend& trend = *found.trend;
      const TrendChange& change = *found.change;
      ReadablePair figures = readable_pair(trend.metric, change.before, change.after);
      rows.push_back({to_string(change.kind), is_worse(trend, change) ? "worse" : "better",
                      one_line(trend.benchmark), one_line(trend.metric), std::move(figures.before),
                      std::move(figures.after), readable_change(change.before, change.after),
                      change.p ? fmt::format("{:.1g}", *change.p) : kAbsent,
                      change.kind == TrendChangeKind::drift
                          ? fmt::format("run {}", runs[trend.points[change.last].run].number)
                          : ""});
    }
    text += aligned_table({{"change"},
                           {""},
                           {"benchmark"},
                           {"metric"},
                           {"before", Align::right},
                           {"after", Align::right},
                           {"by", Align::right},
                           {"p", Align::right},
                           {"until"}},
                          rows);
  }
  return text + "\n";
}

std::string csv_header() {
  return "run,measured,commit,modified,committed,device,uuid,driver,cuda,benchmark,metric,process,"
         "figure\n";
}

std::string csv_lines(const HistoryRun& run, const std::string& benchmark,
                      const std::string& metric, const std::vector<double>& figures) {
  const results::Session& session = run.session;
  std::string lines;
  for (std::size_t process = 0; process < figures.size(); ++process) {
    lines += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.number,
                         csv_field(session.created), csv_field(session.source.revision),
                         session.source.modified ? 1 : 0,
                         run.commit_time_known ? utc_of(run.commit_time) : "",
                         csv_field(session.device.key), csv_field(session.device.uuid),
                         csv_field(session.device.driver), csv_field(session.toolchain.cuda),
                         csv_field(benchmark), csv_field(metric), process, figures[process]);
  }
  return lines;
}

}  // namespace warpgauge::ci
