// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/history_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string_view>

#include "ci/cli/commands.hpp"
#include "ci/history/database.hpp"
#include "ci/history/history.hpp"
#include "ci/history/history_report.hpp"
#include "ci/history/trend.hpp"
#include "ci/history/trends_page.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/html.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/git.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAll = std::numeric_limits<int>::max();

// Of what comes from a file and is handed to git as an argument.
bool is_commit(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

// When it was committed, by the repository around the current folder. Nothing where that does not
// know it.
std::optional<std::int64_t> commit_time_of(const std::string& revision) {
  if (!is_commit(revision)) return std::nullopt;
  const GitAnswer answer = git({"show", "--no-patch", "--format=%ct", revision});
  if (!answer.output) return std::nullopt;
  std::int64_t seconds = 0;
  const char* const end = answer.output->data() + answer.output->size();
  const auto [rest, error] = std::from_chars(answer.output->data(), end, seconds);
  if (error != std::errc()) return std::nullopt;
  return seconds;
}

std::optional<std::int64_t> wanted_commit_time(const HistoryRecordOptions& options) {
  if (options.commit_time.empty()) return std::nullopt;
  const auto seconds = seconds_of(options.commit_time);
  if (seconds) return seconds;
  throw Error(kExitUsage,
              fmt::format("--commit-time {}: give the time in UTC as in 2026-11-21T04:19:54Z",
                          options.commit_time));
}

// A file's path as it is found from anywhere on this machine; an address as it is.
std::string verdict_link(const std::string& verdict) {
  if (verdict.empty() || verdict.find("://") != verdict.npos) return verdict;
  return fs::absolute(verdict).lexically_normal().string();
}

std::vector<std::string> wanted_devices(History& history, const HistoryOptions& options) {
  std::vector<std::string> devices = history.devices();
  if (options.device.empty()) return devices;
  if (std::find(devices.begin(), devices.end(), options.device) == devices.end()) {
    throw Error(kExitUsage, fmt::format("--device {}: {} has runs on {} only", options.device,
                                        name_of(options.history), fmt::join(devices, ", ")));
  }
  return {options.device};
}

std::string wanted_device(History& history, const HistoryOptions& options) {
  const std::vector<std::string> devices = wanted_devices(history, options);
  if (devices.size() == 1) return devices.front();
  throw Error(kExitUsage, fmt::format("{} has runs on several devices: choose with --device {}",
                                      name_of(options.history), fmt::join(devices, " or ")));
}

// The one series of that benchmark.
HistorySeries wanted_series(History& history, const HistoryOptions& options,
                            const std::string& benchmark) {
  std::vector<HistorySeries> found;
  std::vector<std::string> names;
  for (const std::string& device : wanted_devices(history, options)) {
    for (HistorySeries& series : history.series(device)) {
      names.push_back(series.benchmark);
      if (series.benchmark == benchmark) found.push_back(std::move(series));
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    throw Error(kExitUsage,
                fmt::format("there is no benchmark '{}' in {}{}", benchmark,
                            name_of(options.history), results::did_you_mean(benchmark, names)));
  }
  std::vector<std::string> devices;
  devices.reserve(found.size());
  for (const HistorySeries& series : found) devices.push_back(series.device_key);
  throw Error(kExitUsage, fmt::format("{} was measured on several devices: choose with --device {}",
                                      benchmark, fmt::join(devices, " or ")));
}

void check_metric(History& history, const std::string& metric) {
  const std::vector<std::string> metrics = history.metrics();
  if (std::find(metrics.begin(), metrics.end(), metric) != metrics.end()) return;
  throw Error(kExitUsage, fmt::format("there is no metric '{}'; there are {}", metric,
                                      fmt::join(metrics, ", ")));
}

// Of one device, in the order of benchmarks and metrics: of one metric, or of all that are gated.
std::vector<Trend> trends_of(History& history, const std::string& device,
                             const std::vector<HistoryRun>& runs, const Policy& policy,
                             const HistoryChangesOptions& wanted) {
  if (!wanted.metric.empty()) check_metric(history, wanted.metric);
  const IdFilter filter(wanted.filter);
  std::vector<Trend> trends;
  for (const HistorySeries& series : history.series(device)) {
    if (!filter.matches(series.benchmark)) continue;
    for (const auto& [metric, figures] : history.figures(series, runs)) {
      const Rule rule = policy.rule_for(series.benchmark, metric);
      if (wanted.metric.empty() ? !rule.gated() : metric != wanted.metric) continue;
      trends.push_back(trend_of(series, metric, rule, figures));
    }
  }
  return trends;
}

// Standard output, or a file that is there when all of it is.
class CsvSink {
 public:
  explicit CsvSink(const std::optional<fs::path>& out) : out_(out) {
    if (!out_) return;
    if (out_->has_parent_path()) fs::create_directories(out_->parent_path());
    unfinished_ = out_->string() + ".unfinished";
    file_.open(unfinished_, std::ios::binary);
    check();
  }

  void write(const std::string& text) {
    if (!out_) {
      fmt::print("{}", text);
      return;
    }
    file_ << text;
    check();
  }

  void finish() {
    if (!out_) return;
    file_.close();
    check();
    fs::rename(unfinished_, *out_);
  }

 private:
  void check() const {
    if (file_) return;
    throw Error(kExitNotMeasured, fmt::format("cannot write {}; choose another file with --out",
                                              unfinished_.string()));
  }

  std::optional<fs::path> out_;
  fs::path unfinished_;
  std::ofstream file_;
};

}  // namespace

int history_record_command(const HistoryOptions& history_options,
                           const HistoryRecordOptions& options) {
  const auto given_time = wanted_commit_time(options);
  History history(history_options.history, History::For::recording);
  for (const fs::path& path : options.results) {
    NewRun run;
    run.text = results::read_file(path);
    run.results = results::parse_results(run.text, path.string());
    run.commit_time = given_time;
    run.verdict = verdict_link(options.verdict);
    if (!run.commit_time && run.results.session) {
      run.commit_time = commit_time_of(run.results.session->source.revision);
    }
    const RecordedRun recorded = history.record(run);
    if (recorded.was_there) {
      fmt::print("{}: is there already, as run {}\n", path.string(), recorded.number);
      continue;
    }
    fmt::print("{}: recorded as run {}{}\n", path.string(), recorded.number,
               run.commit_time ? ""
                               : ", in order by when it was measured: no repository here tells "
                                 "when its source was committed (see --commit-time)");
  }
  return kExitPass;
}

int history_list_command(const HistoryOptions& options) {
  History history(options.history, History::For::reading);
  results::Json devices = results::Json::array();
  for (const std::string& device : wanted_devices(history, options)) {
    const std::vector<HistoryRun> runs = history.runs(device, options.last);
    if (options.json) {
      devices.push_back(device_json(device, runs, {}, fs::current_path()));
      continue;
    }
    fmt::print("{}: {}{}, {}\n\n{}\n", device, runs.size() == options.last ? "the newest " : "",
               counted(runs.size(), "run"), counted(history.series(device).size(), "benchmark"),
               runs_text(runs));
  }
  if (options.json) fmt::print("{}", json_text({{"devices", devices}}));
  return kExitPass;
}

int history_trend_command(const HistoryOptions& options, const HistoryTrendOptions& wanted) {
  History history(options.history, History::For::reading);
  const HistorySeries series = wanted_series(history, options, wanted.benchmark);
  check_metric(history, wanted.metric);
  const std::vector<HistoryRun> runs = history.runs(series.device_key, options.last);
  const Rule rule = load_policy(options.policy).rule_for(series.benchmark, wanted.metric);
  const Trend trend =
      trend_of(series, wanted.metric, rule, history.figures(series, wanted.metric, runs));
  if (options.json) {
    const auto device = device_json(series.device_key, runs, {trend}, fs::current_path());
    fmt::print("{}", json_text({{"devices", results::Json::array({device})}}));
    return kExitPass;
  }
  fmt::print("{} on {}\n\n{}", one_line(trend.benchmark), trend.device_key,
             trend_text(runs, trend));
  return kExitPass;
}

int history_changes_command(const HistoryOptions& options, const HistoryChangesOptions& wanted) {
  History history(options.history, History::For::reading);
  const Policy policy = load_policy(options.policy);
  results::Json devices = results::Json::array();
  for (const std::string& device : wanted_devices(history, options)) {
    const std::vector<HistoryRun> runs = history.runs(device, options.last);
    std::vector<Trend> trends = trends_of(history, device, runs, policy, wanted);
    if (!options.json) {
      fmt::print("{}", changes_text(device, runs, trends));
      continue;
    }
    std::erase_if(trends, [](const Trend& trend) { return trend.changes.empty(); });
    devices.push_back(device_json(device, runs, trends, fs::current_path()));
  }
  if (options.json) fmt::print("{}", json_text({{"devices", devices}}));
  return kExitPass;
}

int history_report_command(const HistoryOptions& options, const HistoryReportOptions& wanted) {
  History history(options.history, History::For::reading);
  const std::string device = wanted_device(history, options);
  const std::vector<HistoryRun> runs = history.runs(device, options.last);
  const std::vector<Trend> trends =
      trends_of(history, device, runs, load_policy(options.policy), wanted.changes);
  const fs::path folder = fs::absolute(wanted.out).parent_path();
  results::write_file_atomically(wanted.out,
                                 html_report(trends_json(device, runs, trends, folder)));
  fmt::print("{}: {} in {}\n", wanted.out.string(), counted(trends.size(), "trend"),
             counted(runs.size(), "run"));
  return kExitPass;
}

int history_badge_command(const HistoryOptions& options, const HistoryReportOptions& wanted) {
  History history(options.history, History::For::reading);
  const std::string device = wanted_device(history, options);
  const std::vector<HistoryRun> runs = history.runs(device, options.last);
  results::write_file_atomically(
      wanted.out,
      badge_svg(trends_of(history, device, runs, load_policy(options.policy), wanted.changes)));
  return kExitPass;
}

int history_export_command(const HistoryOptions& options, const HistoryExportOptions& wanted) {
  History history(options.history, History::For::reading);
  if (wanted.run) {
    const std::string text = history.results(*wanted.run);
    if (wanted.out) {
      results::write_file_atomically(*wanted.out, text);
    } else {
      fmt::print("{}", text);
    }
    return kExitPass;
  }
  // Series by series: all of it may be more than memory holds.
  CsvSink sink(wanted.out);
  sink.write(csv_header());
  for (const std::string& device : wanted_devices(history, options)) {
    const std::vector<HistoryRun> runs = history.runs(device, kAll);
    for (const HistorySeries& series : history.series(device)) {
      std::string lines;
      for (const auto& [metric, points] : history.figures(series, runs)) {
        for (const HistoryFigures& point : points) {
          lines += csv_lines(runs[point.run], series.benchmark, metric, point.figures);
        }
      }
      sink.write(lines);
    }
  }
  sink.finish();
  return kExitPass;
}

}  // namespace warpgauge::ci
