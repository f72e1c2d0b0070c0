// SPDX-License-Identifier: Apache-2.0
#include "ci/history_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "ci/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kCommitDigits = 10;
constexpr std::size_t kUuidCharacters = 12;  // tells the dies of a fleet apart
constexpr const char* kAbsent = "–";

std::string or_absent(const std::string& text) { return text.empty() ? kAbsent : one_line(text); }

// "2026-11-21 04:19".
std::string minute(const std::string& utc) {
  return utc.size() < 16 ? one_line(utc) : utc.substr(0, 10) + " " + utc.substr(11, 5);
}

std::string committed(const HistoryRun& run) {
  return run.commit_time_known ? minute(utc_of(run.commit_time)) : kAbsent;
}

// As RFC 4180 asks for.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  }
  return quoted + "\"";
}

}  // namespace

std::string commit_text(const HistoryRun& run) {
  if (run.revision.empty()) return kAbsent;
  return one_line(run.revision.substr(0, kCommitDigits)) + (run.modified ? "+" : "");
}

std::string runs_text(const std::vector<HistoryRun>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const HistoryRun& run : runs) {
    const HistoryEnvironment& environment = run.environment;
    rows.push_back({std::to_string(run.number), commit_text(run), committed(run),
                    minute(run.created), one_line(environment.device_name),
                    or_absent(environment.device_uuid.substr(0, kUuidCharacters)),
                    or_absent(environment.driver), or_absent(environment.cuda)});
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
  for (const TrendPoint& point : trend.points) {
    const HistoryRun& run = runs[point.run];
    const auto figure = [&](double value) { return readable_figure(trend.metric, value); };
    rows.push_back(
        {std::to_string(run.number), commit_text(run), committed(run), minute(run.created),
         or_absent(run.environment.device_uuid.substr(0, kUuidCharacters)), figure(point.figure),
         point.interval
             ? fmt::format("{} to {}", figure(point.interval->low), figure(point.interval->high))
             : kAbsent});
  }
  return aligned_table({{"run", Align::right},
                        {"commit"},
                        {"committed"},
                        {"measured"},
                        {"die"},
                        {trend.metric, Align::right},
                        {"interval"}},
                       rows);
}

std::string csv_header() {
  return "run,measured,commit,modified,committed,device,uuid,driver,cuda,benchmark,metric,process,"
         "figure\n";
}

std::string csv_lines(const HistoryRun& run, const std::string& benchmark,
                      const std::string& metric, const std::vector<double>& figures) {
  const HistoryEnvironment& environment = run.environment;
  std::string lines;
  for (std::size_t process = 0; process < figures.size(); ++process) {
    lines += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.number,
                         csv_field(run.created), csv_field(run.revision), run.modified ? 1 : 0,
                         run.commit_time_known ? utc_of(run.commit_time) : "",
                         csv_field(environment.device_key), csv_field(environment.device_uuid),
                         csv_field(environment.driver), csv_field(environment.cuda),
                         csv_field(benchmark), csv_field(metric), process, figures[process]);
  }
  return lines;
}

}  // namespace warpgauge::ci
