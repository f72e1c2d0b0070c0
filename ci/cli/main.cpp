// SPDX-License-Identifier: Apache-2.0
// The command line of `warpgauge`.
#include <fmt/format.h>
#include <stdlib.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <locale>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ci/cli/baseline_commands.hpp"
#include "ci/cli/command_text.hpp"
#include "ci/cli/commands.hpp"
#include "ci/cli/completion.hpp"
#include "ci/cli/doctor.hpp"
#include "ci/cli/history_commands.hpp"
#include "ci/cli/import_command.hpp"
#include "ci/cli/manual.hpp"
#include "ci/cli/standard_streams.hpp"
#include "ci/cli/usage_error.hpp"
#include "ci/cli/version.hpp"
#include "ci/gate/bisect.hpp"
#include "ci/measure/merge_shards.hpp"
#include "ci/measure/progress.hpp"
#include "ci/measure/shards.hpp"
#include "ci/report/report.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/interrupt.hpp"
#include "ci/support/process.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace {

namespace ci = warpgauge::ci;

constexpr const char* kVerdictStatuses =
    "Exit status:\n"
    "   0  pass\n"
    "   1  regressed\n"
    "   3  no verdict: inconclusive, new, or no baseline for this device\n"
    "   4  not measured: failed, missing, a gated metric gone, unreadable input\n"
    "  64  wrong usage\n"
    "The gravest wins: 4, 1, 3, 0. 130 and 143 after Ctrl-C and SIGTERM.";

// Of subcommands that pass no verdict and have none of their own.
constexpr const char* kUsualStatuses =
    "Exit status:\n"
    "   0  done\n"
    "   4  not done: something failed, is missing, or cannot be read or written\n"
    "  64  wrong usage\n"
    "130 and 143 after Ctrl-C and SIGTERM.";
constexpr const char* kApproveStatuses =
    "Exit status:\n"
    "   0  approved, or there was nothing to approve\n"
    "   3  refused: inconclusive against the baseline\n"
    "   4  refused: failed, not measured, or cannot be read or written\n"
    "  64  wrong usage";
constexpr const char* kDoctorStatuses =
    "Exit status:\n"
    "   0  whatever is found, but for:\n"
    "   4  what --require names cannot be measured, or --resource-spec has no GPU\n"
    "  64  wrong usage";

constexpr const char* kRunExample =
    "Examples:\n"
    "  warpgauge run --suite build/ci/bin/suite_emulated --out results.json\n"
    "  warpgauge run --suite suite_gpu --shard 3/8 --out shard-3.json";
constexpr const char* kMergeExample =
    "Example:\n"
    "  warpgauge run --suite suite_emulated --shard 1/2 --out shard-1.json\n"
    "  warpgauge run --suite suite_emulated --shard 2/2 --out shard-2.json\n"
    "  warpgauge merge shard-1.json shard-2.json --out results.json";
constexpr const char* kStaticExample =
    "Examples:\n"
    "  warpgauge static --image kernels.cubin --out results.json\n"
    "  warpgauge static --image suite_gpu --suite suite_emulated --out results.json\n"
    "  warpgauge compare baselines results.json";
constexpr const char* kImportExample =
    "Examples:\n"
    "  warpgauge import run1.json run2.json run3.json --out results.json\n"
    "  warpgauge import ncu.csv --device 'NVIDIA H200'\n"
    "  warpgauge approve results.json --baselines baselines-nvbench --reason 'the first'\n"
    "  warpgauge compare baselines-nvbench results.json";
constexpr const char* kCompareExample =
    "Examples:\n"
    "  warpgauge compare baselines results.json\n"
    "  warpgauge compare before.json after.json --allow new\n"
    "  warpgauge compare once.json again.json --threshold 5\n"
    "  warpgauge compare baselines results.json --explain 'transpose/*'";
constexpr const char* kGateExample =
    "Examples:\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results --against origin/main";
constexpr const char* kBisectExample =
    "Examples:\n"
    "  warpgauge bisect --good v1.4 --suite build/ci/bin/suite_emulated\n"
    "  warpgauge bisect --good v1.4 --bad main --benchmark transpose/padded/256x192 --suite "
    "build/ci/bin/suite_gpu";
constexpr const char* kBisectStatuses =
    "Exit status:\n"
    "   0  the commit is found\n"
    "   3  it is one of several that could not be judged, or nothing has regressed\n"
    "   4  the good or the bad revision cannot be built or measured, or a step failed\n"
    "  64  wrong usage\n"
    "130 and 143 after Ctrl-C and SIGTERM.";
constexpr const char* kReportExample =
    "Examples:\n"
    "  warpgauge report results/verdict.json\n"
    "  warpgauge report results/verdict.json --format sarif --out warpgauge.sarif";
constexpr const char* kApproveExample =
    "Examples:\n"
    "  warpgauge approve results/results.json --reason 'one barrier less'\n"
    "  warpgauge approve monday.json tuesday.json --filter '^scan_' --reason 'two sessions more'\n"
    "  warpgauge approve results/results.json --remove transpose/old/256x192 --reason 'gone'";
constexpr const char* kBaselineExample =
    "Examples:\n"
    "  warpgauge baseline list\n"
    "  warpgauge baseline show transpose/padded/256x192\n"
    "  warpgauge baseline prune --keep 6";
constexpr const char* kTableExample =
    "Examples:\n"
    "  warpgauge table results.json\n"
    "  warpgauge table results.json --reference naive --into docs/explain/kernels.md";

constexpr const char* kAgreeExample =
    "Example:\n"
    "  warpgauge run --suite suite_emulated --machine-code suite_gpu --out emulated.json\n"
    "  warpgauge run --suite suite_gpu --sizes emulated --out h200.json\n"
    "  warpgauge agree emulated.json h200.json --into docs/explain/emulator.md";
constexpr const char* kLinesExample =
    "Example:\n  warpgauge lines results.json --filter transpose/padded";

constexpr const char* kCalibrateExample =
    "Examples:\n"
    "  warpgauge calibrate --suite suite_gpu --processes 40\n"
    "  warpgauge calibrate --suite suite_gpu --slowed suite_gpu_slower --json rates.json\n"
    "  warpgauge calibrate monday.json tuesday.json wednesday.json --budget 8";

constexpr const char* kProfileExample =
    "Examples:\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu --run -- --set "
    "full";
constexpr const char* kDoctorExample =
    "Examples:\n"
    "  warpgauge doctor\n"
    "  warpgauge doctor --suite build/suite_gpu\n"
    "  warpgauge doctor --json --require time,counters\n"
    "  warpgauge doctor --resource-spec gpus.json";
constexpr const char* kCompletionExample =
    "Examples:\n"
    "  source <(warpgauge completion bash)\n"
    "  warpgauge completion fish > ~/.config/fish/completions/warpgauge.fish";
constexpr const char* kManualExample = "Example:\n  warpgauge manual | man -l -";
constexpr const char* kMetricsExample =
    "Examples:\n"
    "  warpgauge metrics\n"
    "  warpgauge metrics --chip GH100 'bank conflicts'\n"
    "  warpgauge metrics --chip GH100 dram__bytes_read";

constexpr const char* kHistoryExample =
    "Examples:\n"
    "  warpgauge history record results/results.json\n"
    "  warpgauge history list\n"
    "  warpgauge history trend transpose/padded/256x192 shared_load_wavefronts\n"
    "  warpgauge history changes --filter '^transpose/'\n"
    "  warpgauge history report --device nvidia-h200 --out trends.html\n"
    "  warpgauge history badge --device nvidia-h200 --out performance.svg\n"
    "  warpgauge history export --out figures.csv\n"
    "  warpgauge history export --run 12 --out then.json\n"
    "  warpgauge history list --history postgresql://ci@database.example/performance";

void add_into(CLI::App& command, std::optional<std::filesystem::path>& into) {
  command.add_option("--into", into,
                     "Page to write to, between its lines '<!-- tables: begin -->' and "
                     "'<!-- tables: end -->' (default: standard output)");
}

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Prints JSON (see docs/reference/formats.md)");
}

void add_policy(CLI::App& command, std::optional<std::filesystem::path>& policy) {
  command.add_option("--policy", policy,
                     "What is gated and how (default: ci/policy.toml if it is there, else what "
                     "this program was built with)");
}

void add_filter(CLI::App& command, std::string& filter) {
  command.add_option("--filter", filter,
                     "Only benchmarks whose id this regular expression matches");
}

void add_allowed(CLI::App& command, std::set<ci::Verdict>& allowed) {
  command
      .add_option_function<std::vector<std::string>>(
          "--allow",
          [&allowed](const std::vector<std::string>& names) {
            for (const std::string& name : names) {
              allowed.insert(name == "new" ? ci::Verdict::added : ci::Verdict::inconclusive);
            }
          },
          "Verdicts to let pass: new, inconclusive")
      ->delimiter(',')
      ->check(CLI::IsMember({"new", "inconclusive"}));
}

void add_explain(CLI::App& command, std::string& explain) {
  command.add_option("--explain", explain,
                     "Benchmark, or pattern of ids (* and ? stand for any characters), of which to "
                     "say by which lines of the policy and from what figures each verdict came "
                     "about");
}

// CLI::Range lets NaN through.
CLI::Validator number_between(double low, double high) {
  return CLI::Validator(
      [low, high](const std::string& text) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value);
        const bool is_number = error == std::errc() && rest == end;
        return is_number && value >= low && value <= high
                   ? std::string()
                   : fmt::format("{} is no number from {:g} to {:g}", text, low, high);
      },
      fmt::format("NUMBER in [{:g} - {:g}]", low, high));
}

void add_colour(CLI::App& command, ci::Colour& colour) {
  static const std::map<std::string, ci::Colour> kColours{{"auto", ci::Colour::automatic},
                                                          {"always", ci::Colour::always},
                                                          {"never", ci::Colour::never}};
  command
      .add_option_function<std::string>(
          "--color", [&colour](const std::string& name) { colour = kColours.at(name); },
          "Colour: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ci::ReportFormat& format : ci::report_formats()) names.emplace_back(format.name);
  return names;
}

void add_merge_base(CLI::App& command, std::string& revision) {
  command
      .add_option("--merge-base", revision,
                  "Revision that the change is to be merged into, as in origin/main: the report's "
                  "headline names each edit of baselines and policy since its merge base with HEAD")
      ->type_name("REVISION");
}

std::string describe_formats() {
  std::string text = "Formats:\n";
  for (const ci::ReportFormat& format : ci::report_formats()) {
    text += fmt::format("  {:<9} {}\n", format.name, format.purpose);
  }
  return text;
}

void add_reports(CLI::App& command, std::vector<ci::ReportRequest>& reports) {
  command
      .add_option_function<std::vector<std::string>>(
          "--report",
          [&reports](const std::vector<std::string>& requests) {
            for (const std::string& request : requests) {
              const std::size_t equals = request.find('=');
              if (equals == request.npos || equals + 1 == request.size()) {
                throw CLI::ValidationError("--report", "'" + request + "' is not FORMAT=FILE");
              }
              const std::string format = request.substr(0, equals);
              (void)ci::report_format(format);
              reports.push_back({format, request.substr(equals + 1)});
            }
          },
          "A report to write, as FORMAT=FILE, such as sarif=warpgauge.sarif; may be repeated (see "
          "warpgauge report --help)")
      ->allow_extra_args(false);
}

struct Waits {
  double timeout_s = 120;
  double lock_s = 600;
};

void add_timeout(CLI::App& command, Waits& waits) {
  command
      .add_option("--timeout", waits.timeout_s,
                  "Seconds without progress after which a benchmark counts as hung")
      ->check(number_between(0.001, 1e6))
      ->capture_default_str();
}

CLI::Option* add_hot(CLI::App& command, ci::RunOptions& options) {
  return command.add_flag("--hot", options.hot,
                          "Times with the caches as a kernel's last launch left them, instead of "
                          "emptying them before each; is compared with what is hot only");
}

void add_run_options(CLI::App& command, ci::RunCommandOptions& options, Waits& waits) {
  command.add_option("--suite", options.run.suite, "The suite's executable")->required();
  command
      .add_option("--counters", options.run.counters,
                  "Counters of the GPU to read besides the usual ones, by CUPTI's names "
                  "(warpgauge metrics lists them)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--processes", options.processes, "Fresh processes that time")
      ->check(CLI::Range(1, 1000));
  add_hot(command, options.run);
  add_timeout(command, waits);
  command
      .add_option("--lock-wait", waits.lock_s, "Seconds to wait for another run on the same GPU")
      ->check(number_between(0, 1e6))
      ->capture_default_str();
  command.add_option("--source-root", options.run.source_root,
                     "Folder that source files are named relative to (default: the current one)");
  command
      .add_option("--machine-code", options.run.machine_code,
                  "Cubins, or programs of nvcc's made with -lineinfo --no-compress: what the "
                  "kernels take of a GPU, and of each source line whether nvcc left its accesses "
                  "as they are written (default: a suite for a GPU itself)")
      ->allow_extra_args(false);
}

CLI::Option* add_against(CLI::App& gate, ci::AgainstOptions& options) {
  CLI::Option* against = gate.add_option(
      "--against", options.revision,
      "Instead of baselines: a git revision, built in build/against in the checkout and measured "
      "in turns with the suite, on the same device");
  gate.add_option("--build", options.build,
                  "Shell command that builds the revision, run in its folder (default: cmake, "
                  "configured as the suite's build is)")
      ->needs(against);
  gate.add_option("--seed", options.seed,
                  "Of the order in which the processes of both sides take turns (default: another "
                  "each time; the report names it)")
      ->needs(against);
  return against;
}

void add_baseline_commands(CLI::App& baseline, ci::BaselineOptions& options) {
  baseline.require_subcommand(1);
  baseline.footer(kBaselineExample);
  CLI::App& list = *baseline.add_subcommand("list", "Lists devices and families");
  CLI::App& show = *baseline.add_subcommand(
      "show",
      "Shows figures by session, exact metrics, lines, and who approved them, when and why");
  CLI::App& prune = *baseline.add_subcommand("prune", "Drops the oldest sessions");
  show.add_option("PATTERN", options.pattern, "Id, or regular expression on ids")->required();
  prune.add_option("--keep", options.keep, "Sessions of each benchmark to keep, the newest")
      ->check(CLI::Range(ci::kFewestSessions, std::size_t{1000}))
      ->capture_default_str();
  for (CLI::App* command : {&list, &show, &prune}) {
    command->add_option("--baselines", options.baselines, "Folder of baselines")
        ->capture_default_str();
    command->add_option("--device", options.device, "Its folder there (default: all)");
    add_json(*command, options.json);
  }
}

void add_calibrate_options(CLI::App& calibrate, ci::CalibrateCommandOptions& options,
                           Waits& waits) {
  CLI::Option* recorded =
      calibrate.add_option("RECORDED", options.recorded,
                           "Results files of one and the same suite, each a session; from two on "
                           "each is also held against the others as its baseline");
  CLI::Option* suite =
      calibrate.add_option("--suite", options.run.suite, "The suite's executable, to be measured");
  suite->excludes(recorded);
  calibrate.add_option(
      "--slowed", options.slowed,
      "The same suite with slower kernels: its executable with --suite, else its "
      "results file, of the device of one of the sessions. How often what is slower in "
      "it is found is told beside what is injected as numbers");
  options.run.processes = 40;
  calibrate.add_option("--processes", options.run.processes, "Fresh processes to measure")
      ->needs(suite)
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  add_hot(calibrate, options.run)->needs(suite);
  add_filter(calibrate, options.run.filter);
  calibrate.add_option("--out", options.out, "Folder for what is measured")
      ->needs(suite)
      ->capture_default_str();
  add_timeout(calibrate, waits);
  calibrate
      .add_option("--budget", options.budget,
                  "Processes a side that the gate has (default: as the policy says)")
      ->check(CLI::Range(2, 1000));
  calibrate.add_option("--trials", options.trials, "Gates without a slowdown")
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  calibrate.add_option("--seed", options.seed, "Of the drawing")->capture_default_str();
  calibrate.add_option("--json", options.json, "File to write all rates to, for other programs");
}

struct HistoryCommandOptions {
  ci::HistoryOptions history;
  ci::HistoryRecordOptions record;
  ci::HistoryTrendOptions trend;
  ci::HistoryChangesOptions changes;
  ci::HistoryReportOptions report;
  ci::HistoryExportOptions exported;
};

void add_history_commands(CLI::App& app, HistoryCommandOptions& options) {
  CLI::App& history =
      *app.add_subcommand("history", "Keeps runs in a database, and shows figures over commits");
  history.require_subcommand(1);
  history.footer(kHistoryExample);
  CLI::App& record = *history.add_subcommand(
      "record", "Adds results to the history; what is there already is left as it is");
  record.add_option("RESULTS", options.record.results, "Results files, each a run")->required();
  record.add_option("--commit-time", options.record.commit_time,
                    "When the source was committed, UTC, as in 2026-11-21T04:19:54Z (default: as "
                    "git says here of the results' revision)");
  record.add_option("--verdict", options.record.verdict,
                    "Address or file of what was said of these results, for the trends page to "
                    "link to");
  CLI::App& list = *history.add_subcommand("list", "Lists runs");
  CLI::App& trend = *history.add_subcommand("trend", "Prints a metric over runs");
  trend.add_option("BENCHMARK", options.trend.benchmark, "Its id")->required();
  trend.add_option("METRIC", options.trend.metric, "Name of the metric")->capture_default_str();
  CLI::App& changes = *history.add_subcommand(
      "changes", "Finds steps and drift in what the policy gates, and any step in exact counters");
  CLI::App& report = *history.add_subcommand("report", "Writes all trends as one HTML page");
  report.add_option("--out", options.report.out, "File to write")->required();
  CLI::App& badge = *history.add_subcommand(
      "badge",
      "Writes an SVG image that says how many benchmarks are worse since their last change");
  badge.add_option("--out", options.report.out, "File to write")->required();
  for (CLI::App* command : {&changes, &report, &badge}) {
    ci::HistoryChangesOptions& wanted =
        command == &changes ? options.changes : options.report.changes;
    add_filter(*command, wanted.filter);
    command->add_option("--metric", wanted.metric,
                        "One metric, gated or not (default: all that are gated)");
  }
  CLI::App& exported = *history.add_subcommand(
      "export", "Prints all figures as CSV, or the results file of one run as it was recorded");
  exported.add_option("--run", options.exported.run, "Number of the run, as listed");
  exported.add_option("--out", options.exported.out, "File to write (default: standard output)");
  for (CLI::App* command : {&list, &trend, &changes}) add_json(*command, options.history.json);
  for (CLI::App* command : {&record, &list, &trend, &changes, &report, &badge, &exported}) {
    command
        ->add_option("--history", options.history.history,
                     "SQLite file, or postgresql://USER@HOST/DATABASE")
        ->capture_default_str();
  }
  for (CLI::App* command : {&list, &trend, &changes, &report, &badge, &exported}) {
    command->add_option("--device", options.history.device,
                        "Its folder under baselines/ (default: all)");
  }
  for (CLI::App* command : {&trend, &changes, &report, &badge})
    add_policy(*command, options.history.policy);
  for (CLI::App* command : {&list, &trend, &changes, &report, &badge}) {
    command->add_option("--last", options.history.last, "Runs of a device to look at, the newest")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
  }
}

int history_command(const CLI::App& history, const HistoryCommandOptions& options) {
  if (history.got_subcommand("record")) {
    return ci::history_record_command(options.history, options.record);
  }
  if (history.got_subcommand("list")) return ci::history_list_command(options.history);
  if (history.got_subcommand("trend")) {
    return ci::history_trend_command(options.history, options.trend);
  }
  if (history.got_subcommand("changes")) {
    return ci::history_changes_command(options.history, options.changes);
  }
  if (history.got_subcommand("report")) {
    return ci::history_report_command(options.history, options.report);
  }
  if (history.got_subcommand("badge")) {
    return ci::history_badge_command(options.history, options.report);
  }
  return ci::history_export_command(options.history, options.exported);
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

int print(const std::string& text) {
  fmt::print("{}", text);
  return ci::kExitPass;
}

std::string with_statuses(const char* examples, const char* statuses) {
  return fmt::format("{}\n\n{}", examples, statuses);
}

struct Talk {
  bool quiet = false;
  bool verbose = false;
};

// In each subcommand's own help: how much it says, and how it ends.
void add_what_all_have(CLI::App& program, Talk& talk) {
  for (CLI::App* command : program.get_subcommands([](CLI::App*) { return true; })) {
    const std::string footer = command->get_footer();
    if (footer.find("Exit status:") == footer.npos) {
      command->footer(with_statuses(footer.c_str(), kUsualStatuses));
    }
    add_what_all_have(*command, talk);
    if (!command->get_subcommands([](CLI::App*) { return true; }).empty()) continue;
    CLI::Option* quiet =
        command->add_flag("--quiet", talk.quiet, "Says only the outcome, and errors");
    command
        ->add_flag("--verbose", talk.verbose,
                   "Says on standard error which commands and processes it starts")
        ->excludes(quiet);
  }
}

int run_command_line(int argc, char** argv) {
  CLI::App app{"A performance gate for CUDA kernels"};
  app.name("warpgauge");
  app.require_subcommand(1);
  app.footer(kVerdictStatuses);
  app.set_version_flag("--version", ci::version_text);
  Waits waits;

  CLI::App& run = *app.add_subcommand("run", "Measures a suite into a results file");
  ci::RunCommandOptions run_options;
  run_options.out = "results.json";
  add_run_options(run, run_options, waits);
  add_filter(run, run_options.run.filter);
  run.add_option("--sizes", run_options.run.sizes,
                 "gate: the sizes that the gate measures; large: those far beyond a GPU's caches; "
                 "emulated: those that the emulator's gate measures, on a GPU counted only")
      ->check(CLI::IsMember({"gate", "large", "emulated"}))
      ->capture_default_str();
  run.add_option_function<std::string>(
         "--shard", [&](const std::string& text) { run_options.run.shard = ci::shard_from(text); },
         "Only the part I of N of the benchmarks, chosen by their ids, as in 3/8; warpgauge merge "
         "joins the parts")
      ->type_name("I/N");
  run.add_option("--out", run_options.out, "Results file to write")->capture_default_str();
  add_policy(run, run_options.policy);
  run.footer(kRunExample);

  CLI::App& merge = *app.add_subcommand("merge", "Joins the shards of a run to one results file");
  ci::MergeCommandOptions merge_options;
  merge_options.out = "results.json";
  merge.add_option("FILE", merge_options.files, "What run --shard wrote, all of a run's shards")
      ->required();
  merge.add_option("--out", merge_options.out, "Results file to write")->capture_default_str();
  merge.footer(kMergeExample);

  CLI::App& machine_code = *app.add_subcommand(
      "static", "Reads what kernels take of a GPU out of machine code; needs no GPU");
  ci::StaticCommandOptions static_options;
  static_options.out = "results.json";
  machine_code
      .add_option("--image", static_options.options.images,
                  "Cubin, or program of nvcc's made with --no-compress")
      ->required()
      ->allow_extra_args(false);
  machine_code.add_option("--suite", static_options.options.run.suite,
                          "The emulator's suite, whose benchmarks say which kernels belong to "
                          "them (default: each kernel is a benchmark)");
  machine_code.add_option("--architecture", static_options.options.architecture,
                          "sm_90, say, where images have several (default: the newest)");
  add_filter(machine_code, static_options.options.run.filter);
  add_timeout(machine_code, waits);
  machine_code.add_option("--out", static_options.out, "Results file to write")
      ->capture_default_str();
  machine_code.footer(kStaticExample);

  CLI::App& import = *app.add_subcommand(
      "import", "Makes a results file of what NVBench, ncu, BabelStream or Google Benchmark wrote");
  ci::ImportCommandOptions import_options;
  import_options.out = "results.json";
  import
      .add_option("FILE", import_options.options.files,
                  "What one process wrote each; several files are several processes of one session")
      ->required();
  import.add_option("--format", import_options.options.format, "Default: by the content")
      ->check(CLI::IsMember(ci::import_formats()));
  import.add_option("--device", import_options.options.device,
                    "Name of the device, where the files do not say it; number or name of one, "
                    "where they have several");
  import.add_option("--out", import_options.out, "Results file to write")->capture_default_str();
  import.footer(kImportExample);

  CLI::App& compare = *app.add_subcommand("compare", "Compares results with a baseline");
  ci::CompareOptions compare_options;
  compare
      .add_option("BASE", compare_options.base,
                  "Folder of baselines, results file or plain Google Benchmark JSON")
      ->required();
  compare.add_option("NEW", compare_options.fresh, "Results file or plain Google Benchmark JSON")
      ->required();
  add_filter(compare, compare_options.filter);
  add_allowed(compare, compare_options.allowed);
  add_policy(compare, compare_options.policy);
  add_explain(compare, compare_options.explain);
  compare
      .add_option_function<double>(
          "--threshold", [&](double percent) { compare_options.threshold = percent / 100; },
          "Per cent that a time may differ where one figure a side is all there is, which is no "
          "statistics (default: it is inconclusive)")
      ->type_name("PERCENT")
      ->check(number_between(0.001, 1000));
  compare.add_option("--summary", compare_options.summary, "Markdown file to write");
  compare.add_option("--json", compare_options.json,
                     "File to write the whole verdict to, for other programs");
  compare.add_option("--source-root", compare_options.source_root,
                     "Folder that source files are named relative to (default: the current one)");
  add_merge_base(compare, compare_options.merge_base);
  add_reports(compare, compare_options.reports);
  add_colour(compare, compare_options.colour);
  compare.footer(with_statuses(kCompareExample, kVerdictStatuses));

  CLI::App& gate = *app.add_subcommand("gate", "Measures a suite and compares with its baseline");
  ci::GateOptions gate_options;
  gate_options.out = "results";
  gate_options.compare.base = "baselines";
  add_run_options(gate, gate_options.run, waits);
  add_filter(gate, gate_options.compare.filter);
  add_allowed(gate, gate_options.compare.allowed);
  CLI::Option* baselines =
      gate.add_option("--baselines", gate_options.compare.base, "Folder of baselines")
          ->capture_default_str();
  ci::AgainstOptions against_options;
  add_against(gate, against_options)->excludes(baselines);
  gate.add_option("--out", gate_options.out,
                  "Folder for results.json, verdict.json and summary.md, and, with --against, "
                  "against.json")
      ->capture_default_str();
  add_merge_base(gate, gate_options.compare.merge_base);
  add_reports(gate, gate_options.compare.reports);
  add_colour(gate, gate_options.compare.colour);
  add_policy(gate, gate_options.run.policy);
  add_explain(gate, gate_options.compare.explain);
  gate.footer(with_statuses(kGateExample, kVerdictStatuses));

  CLI::App& bisect = *app.add_subcommand(
      "bisect", "Finds the commit since which a suite is worse, in a worktree of its own");
  ci::BisectCommandOptions bisect_options;
  ci::RunCommandOptions bisect_run;
  bisect_options.bisect.out = "results/bisect";
  bisect.add_option("--good", bisect_options.bisect.good, "Revision that was well")->required();
  bisect.add_option("--bad", bisect_options.bisect.bad, "Later one that is not")
      ->capture_default_str();
  add_run_options(bisect, bisect_run, waits);
  bisect
      .add_option("--benchmark", bisect_options.benchmarks,
                  "Benchmark to look at; may be repeated (default: all that regressed between the "
                  "two)")
      ->allow_extra_args(false);
  bisect.add_option("--build", bisect_options.bisect.build,
                    "Shell command that builds a revision, run in its folder (default: cmake, "
                    "configured as the suite's build is)");
  bisect.add_option("--out", bisect_options.bisect.out, "Folder for what each commit measured")
      ->capture_default_str();
  bisect.add_option("--step", bisect_options.step)->group("");
  add_policy(bisect, bisect_options.policy);
  add_colour(bisect, bisect_options.colour);
  bisect.footer(with_statuses(kBisectExample, kBisectStatuses));

  CLI::App& report = *app.add_subcommand("report", "Shows a verdict in another format");
  ci::ReportOptions report_options;
  report.add_option("VERDICT", report_options.verdict, "verdict.json of gate or compare --json")
      ->required();
  report.add_option("--format", report_options.format, "See below")
      ->check(CLI::IsMember(format_names()))
      ->capture_default_str();
  report.add_option("--out", report_options.out, "File to write (default: standard output)");
  add_colour(report, report_options.colour);
  report.footer(describe_formats() + kReportExample);

  CLI::App& approve = *app.add_subcommand("approve", "Makes results the baseline");
  ci::ApproveOptions approve_options;
  approve_options.baselines = "baselines";
  approve.add_option("RESULTS", approve_options.results, "Results files, each a session")
      ->required();
  approve.add_option("--baselines", approve_options.baselines, "Folder of baselines")
      ->capture_default_str();
  approve
      .add_option("--reason", approve_options.reason,
                  "Why this becomes the baseline; kept there, with who approved it and when")
      ->required();
  add_filter(approve, approve_options.filter);
  approve.add_option("--remove", approve_options.remove, "Benchmark to take out of the baseline")
      ->allow_extra_args(false);
  approve.add_flag(
      "--new-environment", approve_options.new_environment,
      "Another driver or CUDA toolkit, or hot times for cold: sessions of the old one do "
      "not count any more");
  add_policy(approve, approve_options.policy);
  add_json(approve, approve_options.json);
  approve.footer(with_statuses(kApproveExample, kApproveStatuses));

  CLI::App& baseline = *app.add_subcommand("baseline", "Shows and trims what was approved");
  ci::BaselineOptions baseline_options;
  add_baseline_commands(baseline, baseline_options);

  HistoryCommandOptions history_options;
  add_history_commands(app, history_options);

  CLI::App& table = *app.add_subcommand("table", "Prints results as Markdown tables");
  ci::TableCommandOptions table_options;
  table.add_option("RESULTS", table_options.results, "Results file or plain Google Benchmark JSON")
      ->required();
  table
      .add_option("--reference", table_options.references,
                  "Variants to divide the times of their family and size by; the first that is "
                  "there counts")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_into(table, table_options.into);
  add_json(table, table_options.json)->excludes("--into");
  table.footer(kTableExample);

  CLI::App& agree = *app.add_subcommand(
      "agree", "Prints what the emulator and a GPU counted, side by side, as Markdown tables");
  ci::AgreeCommandOptions agree_options;
  agree.add_option("EMULATED", agree_options.emulated, "Results file of the emulator")->required();
  agree
      .add_option("HARDWARE", agree_options.hardware,
                  "Results file of a GPU at the same sizes (run --sizes emulated)")
      ->required();
  add_into(agree, agree_options.into);
  add_json(agree, agree_options.json)->excludes("--into");
  agree.footer(kAgreeExample);

  CLI::App& calibrate = *app.add_subcommand(
      "calibrate", "Tells how often the gate is wrong on this machine, and what it finds");
  ci::CalibrateCommandOptions calibrate_options;
  calibrate_options.out = "calibration";
  add_calibrate_options(calibrate, calibrate_options, waits);
  add_policy(calibrate, calibrate_options.policy);
  add_into(calibrate, calibrate_options.into);
  calibrate.footer(kCalibrateExample);

  CLI::App& lines = *app.add_subcommand("lines", "Prints the traffic of each source line");
  ci::LinesCommandOptions lines_options;
  lines.add_option("RESULTS", lines_options.results, "Results file")->required();
  add_filter(lines, lines_options.filter);
  add_json(lines, lines_options.json);
  lines.footer(kLinesExample);

  CLI::App& profile = *app.add_subcommand(
      "profile", "Prints the command that profiles one benchmark with NVIDIA's tools, or runs it");
  ci::ProfileCommandOptions profile_options;
  profile.add_option("ID", profile_options.profile.id, "The benchmark")->required();
  profile.add_option("ARGUMENTS", profile_options.profile.arguments,
                     "Further arguments of the tool, after --");
  profile.add_option("--suite", profile_options.profile.suite, "The GPU suite's executable")
      ->required();
  profile
      .add_option_function<std::string>(
          "--tool",
          [&](const std::string& name) {
            profile_options.profile.tool =
                name == "ncu" ? ci::ProfilerTool::ncu : ci::ProfilerTool::nsys;
          },
          "ncu: what one kernel does; nsys: what happens when")
      ->check(CLI::IsMember({"ncu", "nsys"}))
      ->required();
  profile.add_option("--sizes", profile_options.profile.sizes, "As of run")
      ->check(CLI::IsMember({"gate", "large", "emulated"}))
      ->capture_default_str();
  profile.add_option("--out", profile_options.profile.out, "Report that the tool writes");
  profile.add_flag("--run", profile_options.run, "Runs the command");
  profile.footer(kProfileExample);

  CLI::App& metrics = *app.add_subcommand(
      "metrics", "Lists and explains the metrics that a chip can count; needs no GPU");
  ci::MetricsCommandOptions metrics_options;
  metrics.add_option("TEXT", metrics_options.text,
                     "What a metric's name or description has; a metric's whole name lists all of "
                     "its roll-ups");
  metrics.add_option("--chip", metrics_options.chip,
                     "The chip, as in GH100 for an H100 or H200 (default: lists the chips)");
  add_json(metrics, metrics_options.json);
  metrics.add_option("--program", metrics_options.program,
                     "The executable that asks CUPTI (default: warpgauge_metrics beside this one)");
  metrics.footer(kMetricsExample);

  CLI::App& doctor = *app.add_subcommand(
      "doctor", "Says what can be measured on this machine, and what prevents the rest");
  ci::DoctorOptions doctor_options;
  doctor
      .add_option("--require", doctor_options.require,
                  "What must be possible, else the exit status is 4: time, counters, emulator")
      ->delimiter(',')
      ->check(CLI::IsMember({"time", "counters", "emulator"}));
  doctor
      .add_option("--suite", doctor_options.suites,
                  "A suite to look at, of your own say: whether it starts, and else why not "
                  "(default: suite_emulated and suite_gpu beside this program)")
      ->allow_extra_args(false);
  add_json(doctor, doctor_options.json);
  doctor.add_option("--program", doctor_options.program,
                    "The executable that asks CUDA (default: warpgauge_doctor beside this one)");
  doctor.add_option("--resource-spec", doctor_options.resource_spec,
                    "File to write CTest's resource specification to: each GPU one slot, for tests "
                    "that run by ci/scripts/with_gpu.sh");
  doctor.footer(with_statuses(kDoctorExample, kDoctorStatuses));

  CLI::App& completion =
      *app.add_subcommand("completion", "Prints the script by which a shell completes warpgauge");
  std::string shell;
  completion.add_option("SHELL", shell, "The shell")
      ->required()
      ->check(CLI::IsMember(ci::completed_shells()));
  completion.footer(kCompletionExample);

  CLI::App& manual = *app.add_subcommand("manual", "Prints the manual page")->group("");
  manual.footer(kManualExample);

  Talk talk;
  add_what_all_have(app, talk);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw ci::Error(ci::kExitUsage, ci::misunderstood(app, error));
  }

  ci::ProgressDisplay display(
      [](std::string_view text) {
        // Whether anyone listens is no matter for what is measured.
        (void)std::fwrite(text.data(), 1, text.size(), stderr);
        (void)std::fflush(stderr);
      },
      ci::columns_of_standard_error());
  for (ci::RunOptions* options :
       {&run_options.run, &gate_options.run.run, &static_options.options.run,
        &calibrate_options.run, &bisect_run.run}) {
    options->timeout = milliseconds(waits.timeout_s);
    options->lock_wait = milliseconds(waits.lock_s);
    if (talk.quiet) continue;
    options->tell = [&display](const std::string& line) { display.tell(line); };
    options->progress = [&display](const ci::Progress& progress) { display.show(progress); };
  }
  std::optional<ci::ChildLog> log;
  if (talk.verbose) log.emplace([&display](const std::string& line) { display.tell(line); });
  import_options.advise = !talk.quiet;
  gate_options.run.run.filter = gate_options.compare.filter;
  if (gate.count("--against") > 0) gate_options.against = against_options;
  compare_options.program = gate_options.compare.program = argv[0];

  if (run.parsed()) return ci::run_command(run_options);
  if (merge.parsed()) return ci::merge_command(merge_options);
  if (machine_code.parsed()) return ci::static_command(static_options);
  if (import.parsed()) return ci::import_command(import_options);
  if (compare.parsed()) return ci::compare_command(compare_options);
  if (bisect.parsed()) {
    bisect_options.bisect.run = bisect_run.run;
    bisect_options.processes = bisect_run.processes;
    std::copy_if(argv + 1, argv + argc, std::back_inserter(bisect_options.arguments),
                 [](std::string_view word) { return word != "--quiet" && word != "--verbose"; });
    return ci::bisect_command(bisect_options);
  }
  if (report.parsed()) return ci::report_command(report_options);
  if (gate.parsed()) return ci::gate_command(gate_options);
  if (app.got_subcommand("history")) {
    return history_command(*app.get_subcommand("history"), history_options);
  }
  if (table.parsed()) return ci::table_command(table_options);
  if (agree.parsed()) return ci::agree_command(agree_options);
  if (calibrate.parsed()) return ci::calibrate_command(calibrate_options);
  if (lines.parsed()) return ci::lines_command(lines_options);
  if (baseline.got_subcommand("list")) return ci::list_command(baseline_options);
  if (baseline.got_subcommand("show")) return ci::show_command(baseline_options);
  if (baseline.got_subcommand("prune")) return ci::prune_command(baseline_options);
  if (profile.parsed()) return ci::profile_command(profile_options);
  if (doctor.parsed()) return ci::doctor_command(doctor_options);
  if (metrics.parsed()) return ci::metrics_command(metrics_options);
  if (completion.parsed()) return print(ci::completion_script(ci::command_text(app), shell));
  if (manual.parsed()) return print(ci::manual_page(ci::command_text(app), WARPGAUGE_VERSION));
  return ci::approve_command(approve_options);
}

constexpr const char* kNotPrinted =
    "cannot write all of the output: standard output is closed, or its disk is full";

// An argument that is quoted may be as long as the system lets it be.
constexpr std::size_t kLongestComplaint = 4000;

int complain(std::string_view what, int exit_status) {
  const std::string text = fmt::format(
      "warpgauge: {}\n", ci::log_text(ci::shortened(ci::one_line(what), kLongestComplaint)));
  (void)std::fputs(text.c_str(), stderr);
  return exit_status;
}

// Boost.Filesystem, under Boost.Process, asks for the user's locale and throws where the
// environment names one that is not installed. Nothing here depends on a locale.
void settle_locale() {
  try {
    (void)std::locale("");
  } catch (const std::runtime_error&) {
    ::setenv("LC_ALL", "C", 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ci::occupy_standard_streams();
  settle_locale();
  const auto fail = [&](std::string_view what, int exit_status) {
    return complain(what, ci::is_bisect_step(argc, argv) ? ci::kBisectStop : exit_status);
  };
  try {
    const int exit_status = run_command_line(argc, argv);
    return ci::all_is_printed() ? exit_status : fail(kNotPrinted, ci::kExitNotMeasured);
  } catch (const ci::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const ci::Error& error) {
    return fail(error.what(), error.exit_status());
  } catch (const std::exception& error) {
    return fail(ci::all_is_printed() ? error.what() : kNotPrinted, ci::kExitNotMeasured);
  }
}
