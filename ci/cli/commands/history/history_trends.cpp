// SPDX-License-Identifier: Apache-2.0
// `warpgauge history`: trend, changes, report and badge.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/history/connection/address.hpp"
#include "ci/history/history_report.hpp"
#include "ci/history/trend.hpp"
#include "ci/history/trends_page.hpp"
#include "ci/policy/known_metrics.hpp"
#include "ci/report/formats/html.hpp"
#include "ci/statistics/series/change_points.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/counter_weight.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

struct WantedTrends {
  std::string filter;  // regular expression on ids; empty: all
  std::string metric;  // empty: all that the policy gates
};

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
                             const WantedTrends& wanted) {
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

// Of a device's newest runs, what is asked for.
struct Found {
  std::vector<HistoryRun> runs;
  std::vector<Trend> trends;
};

Found found(History& history, const HistoryOptions& options, const std::string& device,
            const Policy& policy, const WantedTrends& wanted, RunOrder order = RunOrder::commits) {
  Found found{history.runs(device, options.last, order), {}};
  found.trends = trends_of(history, device, found.runs, policy, wanted);
  return found;
}

// The same in the order of measuring, for what may pass or fail. Throws Error where that is
// nothing, or the policy speaks of metrics that are not there, or the runs are too few for any
// step: nothing may pass because it was not looked at.
Found watched(History& history, const HistoryOptions& options, const std::string& device,
              const Policy& policy, const WantedTrends& wanted) {
  constexpr std::size_t kFewestRuns = 2 * kFewestPoints;
  if (options.last < kFewestRuns) {
    throw Error(kExitUsage, fmt::format("--last {}: a step shows in {} runs at least", options.last,
                                        kFewestRuns));
  }
  const std::vector<std::string> metrics = history.metrics();
  refuse_unknown_metrics(policy, {metrics.begin(), metrics.end()});
  Found all = found(history, options, device, policy, wanted, RunOrder::measuring);
  if (!all.trends.empty()) return all;
  throw Error(kExitNotMeasured,
              fmt::format("on {} the policy gates none of these benchmarks, so nothing could be "
                          "worse; change the policy or --filter, or choose with --device",
                          one_line(device)));
}

int print_trend(const HistoryOptions& options, const std::string& benchmark,
                const std::string& metric) {
  History history(options.history, History::For::reading);
  const HistorySeries series = wanted_series(history, options, benchmark);
  check_metric(history, metric);
  const std::vector<HistoryRun> runs = history.runs(series.device_key, options.last);
  const Rule rule = load_policy(options.policy).rule_for(series.benchmark, metric);
  const Trend trend = trend_of(series, metric, rule, history.figures(series, metric, runs));
  if (options.json) {
    const auto device = device_json(series.device_key, runs, {trend}, fs::current_path());
    fmt::print("{}", json_text({{"devices", results::Json::array({device})}}));
    return kExitPass;
  }
  return print(log_text(fmt::format("{} on {}\n\n{}", one_line(trend.benchmark),
                                    one_line(trend.device_key), trend_text(runs, trend))));
}

// "time of scan/x/1" of what got worse lately.
struct WorseLately {
  std::vector<std::string> fails;
  // Counters and resources that the gate weighs beside the clock: it may have passed them, or
  // somebody approved them, in return for time.
  std::vector<std::string> weighed;
};

// all: whether the trends are of all metrics, so that what has no time among them has no clock to
// be weighed beside.
WorseLately worse_lately(const std::vector<Trend>& trends, bool all, std::size_t runs,
                         std::size_t within) {
  std::set<std::string> timed;
  for (const Trend& trend : trends) {
    if (trend.rule.metric_class == MetricClass::statistical) timed.insert(trend.benchmark);
  }
  WorseLately worse;
  for (const Trend& trend : trends) {
    if (!got_worse_within(trend, runs, within)) continue;
    const bool fails = trend.rule.metric_class == MetricClass::statistical ||
                       always_decides(trend.metric) || (all && !timed.contains(trend.benchmark));
    (fails ? worse.fails : worse.weighed)
        .push_back(fmt::format("{} of {}", trend.metric, trend.benchmark));
  }
  return worse;
}

std::string worse_text(const char* what, const std::vector<std::string>& names,
                       const std::string& device, std::size_t within) {
  constexpr std::size_t kMostNamed = 5;
  if (names.empty()) return {};
  return one_line(fmt::format("{}: worse in the last {} on {}: {}", what, counted(within, "run"),
                              device, some_of(names, kMostNamed))) +
         "\n\n";
}

// fail_within: in how many of a device's newest runs nothing may get worse.
int print_changes(const HistoryOptions& options, const WantedTrends& wanted,
                  std::optional<std::size_t> fail_within) {
  int status = kExitPass;
  History history(options.history, History::For::reading);
  const Policy policy = load_policy(options.policy);
  results::Json devices = results::Json::array();
  for (const std::string& device : wanted_devices(history, options)) {
    auto [runs, trends] = fail_within ? watched(history, options, device, policy, wanted)
                                      : found(history, options, device, policy, wanted);
    const WorseLately worse =
        fail_within ? worse_lately(trends, wanted.metric.empty(), runs.size(), *fail_within)
                    : WorseLately();
    if (!worse.fails.empty()) status = kExitRegressed;
    if (!options.json) {
      fmt::print("{}", log_text(changes_text(device, runs, trends)));
      if (fail_within) {
        fmt::print("{}{}", log_text(worse_text("regressed", worse.fails, device, *fail_within)),
                   log_text(worse_text("no failure, since the gate alone decides on these",
                                       worse.weighed, device, *fail_within)));
      }
      continue;
    }
    std::erase_if(trends, [](const Trend& trend) { return trend.changes.empty(); });
    devices.push_back(device_json(device, runs, trends, fs::current_path()));
  }
  if (options.json) fmt::print("{}", json_text({{"devices", devices}}));
  return status;
}

int write_report(const HistoryOptions& options, const WantedTrends& wanted, const fs::path& out) {
  History history(options.history, History::For::reading);
  const std::string device = wanted_device(history, options);
  const auto [runs, trends] = found(history, options, device, load_policy(options.policy), wanted);
  const fs::path folder = fs::absolute(out).parent_path();
  results::write_file_atomically(out, html_report(trends_json(device, runs, trends, folder)));
  fmt::print("{}: {} in {}\n", out.string(), counted(trends.size(), "trend"),
             counted(runs.size(), "run"));
  return kExitPass;
}

int write_badge(const HistoryOptions& options, const WantedTrends& wanted, const fs::path& out) {
  History history(options.history, History::For::reading);
  const std::string device = wanted_device(history, options);
  results::write_file_atomically(
      out,
      badge_svg(watched(history, options, device, load_policy(options.policy), wanted).trends));
  return kExitPass;
}

void add_wanted(CLI::App& command, WantedTrends& wanted) {
  add_filter(command, wanted.filter);
  command.add_option("--metric", wanted.metric,
                     "One metric, gated or not (default: all that are gated)");
}

void add_history_options(CLI::App& command, HistoryOptions& options) {
  add_history_option(command, options);
  add_history_device(command, options);
  add_policy(command, options.policy);
  add_history_last(command, options);
}

}  // namespace

std::string trends_on(const HistoryOptions& options) {
  History history(options.history, History::For::reading);
  const std::string device = wanted_device(history, options);
  const auto [runs, trends] = found(history, options, device, load_policy(options.policy), {});
  return trends_json(device, runs, trends, fs::current_path());
}

void add_history_trend(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand("trend", "Prints a metric over runs");
  struct Options {
    HistoryOptions history;
    std::string benchmark;
    std::string metric = "time";
  };
  const auto options = std::make_shared<Options>();
  command.add_option("BENCHMARK", options->benchmark, "Its id")->required();
  command.add_option("METRIC", options->metric, "Name of the metric")->capture_default_str();
  add_json(command, options->history.json);
  add_history_options(command, options->history);
  context.on_call(command, [options] {
    return print_trend(options->history, options->benchmark, options->metric);
  });
}

void add_history_changes(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand(
      "changes", "Finds steps and drift in what the policy gates, and any step in exact counters");
  struct Options {
    HistoryOptions history;
    WantedTrends wanted;
    std::optional<std::size_t> fail_within;
  };
  const auto options = std::make_shared<Options>();
  add_wanted(command, options->wanted);
  command
      .add_option(
          "--fail-within", options->fail_within,
          "Ends with 1 if a time, or a counter that decides whatever the clock says, got worse "
          "within this many of a device's newest measured runs. A step shows after three runs")
      ->type_name("RUNS")
      ->check(whole_number_between(kFewestPoints, 1'000'000));
  add_json(command, options->history.json);
  add_history_options(command, options->history);
  context.on_call(command, [options] {
    return print_changes(options->history, options->wanted, options->fail_within);
  });
}

namespace {

struct TrendsFile {
  HistoryOptions history;
  WantedTrends wanted;
  fs::path out;
};

std::shared_ptr<TrendsFile> add_trends_file(CLI::App& command) {
  auto options = std::make_shared<TrendsFile>();
  command.add_option("--out", options->out, "File to write")->required();
  add_wanted(command, options->wanted);
  add_history_options(command, options->history);
  return options;
}

}  // namespace

void add_history_report(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand("report", "Writes all trends as one HTML page");
  context.on_call(command, [options = add_trends_file(command)] {
    return write_report(options->history, options->wanted, options->out);
  });
}

void add_history_badge(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand(
      "badge",
      "Writes an SVG image that says how many benchmarks are worse since their last change");
  context.on_call(command, [options = add_trends_file(command)] {
    return write_badge(options->history, options->wanted, options->out);
  });
}

}  // namespace warpgauge::ci
