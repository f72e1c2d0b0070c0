// SPDX-License-Identifier: Apache-2.0
// The command line of `warpgauge`.
#include <fmt/format.h>
#include <stdlib.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <locale>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ci/commands.hpp"
#include "ci/errors.hpp"
#include "ci/interrupt.hpp"
#include "ci/text.hpp"

namespace {

namespace ci = warpgauge::ci;

constexpr const char* kExitStatuses =
    "Exit status:\n"
    "   0  pass\n"
    "   1  regressed\n"
    "   3  no verdict: inconclusive, new, or no baseline for this device\n"
    "   4  not measured: failed, missing, a gated metric gone, unreadable input\n"
    "  64  wrong usage\n"
    "The gravest wins: 4, 1, 3, 0. 130 and 143 after Ctrl-C and SIGTERM.";

constexpr const char* kRunExample =
    "Example:\n  warpgauge run --suite build/ci/bin/suite_emulated --out results.json";
constexpr const char* kCompareExample =
    "Examples:\n"
    "  warpgauge compare baselines results.json\n"
    "  warpgauge compare before.json after.json --allow new";
constexpr const char* kGateExample =
    "Example:\n  warpgauge gate --suite build/ci/bin/suite_emulated --out results";
constexpr const char* kApproveExample =
    "Examples:\n"
    "  warpgauge approve results/results.json\n"
    "  warpgauge approve monday.json tuesday.json wednesday.json --remove transpose/naive/256x192";
constexpr const char* kTableExample =
    "Examples:\n"
    "  warpgauge table results.json\n"
    "  warpgauge table results.json --reference naive --into docs/kernels.md";

constexpr const char* kAgreeExample =
    "Example:\n"
    "  warpgauge run --suite suite_emulated --machine-code suite_gpu --out emulated.json\n"
    "  warpgauge run --suite suite_gpu --sizes emulated --out h200.json\n"
    "  warpgauge agree emulated.json h200.json --into docs/emulator.md";
constexpr const char* kLinesExample =
    "Example:\n  warpgauge lines results.json --filter transpose/padded";

constexpr const char* kProfileExample =
    "Examples:\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu --run -- --set "
    "full";
constexpr const char* kMetricsExample =
    "Examples:\n"
    "  warpgauge metrics\n"
    "  warpgauge metrics --chip GH100 'bank conflicts'\n"
    "  warpgauge metrics --chip GH100 dram__bytes_read";

void add_into(CLI::App& command, std::optional<std::filesystem::path>& into) {
  command.add_option("--into", into,
                     "Page to write to, between its lines '<!-- tables: begin -->' and "
                     "'<!-- tables: end -->' (default: standard output)");
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

struct Waits {
  double timeout_s = 120;
  double lock_s = 600;
};

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
  command
      .add_option("--timeout", waits.timeout_s,
                  "Seconds without progress after which a benchmark counts as hung")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
  command
      .add_option("--lock-wait", waits.lock_s, "Seconds to wait for another run on the same GPU")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  command.add_option("--source-root", options.run.source_root,
                     "Folder that source files are named relative to (default: the current one)");
  command.add_option("--machine-code", options.run.machine_code,
                     "Cubin, or program of nvcc's made with -lineinfo --no-compress: says of each "
                     "source line whether nvcc left its accesses as they are written");
}

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

int run_command_line(int argc, char** argv) {
  CLI::App app{"A performance gate for CUDA kernels"};
  app.name("warpgauge");
  app.require_subcommand(1);
  app.footer(kExitStatuses);
  app.set_version_flag("--version", WARPGAUGE_VERSION);

  Waits waits;
  bool quiet = false;
  const auto add_quiet = [&quiet](CLI::App& command) {
    command.add_flag("--quiet", quiet, "No progress on standard error");
  };

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
  run.add_option("--out", run_options.out, "Results file to write")->capture_default_str();
  add_policy(run, run_options.policy);
  add_quiet(run);
  run.footer(kRunExample);

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
  compare.add_option("--summary", compare_options.summary, "Markdown file to write");
  compare.footer(kCompareExample);

  CLI::App& gate = *app.add_subcommand("gate", "Measures a suite and compares with its baseline");
  ci::GateOptions gate_options;
  gate_options.out = "results";
  gate_options.compare.base = "baselines";
  add_run_options(gate, gate_options.run, waits);
  add_filter(gate, gate_options.compare.filter);
  add_allowed(gate, gate_options.compare.allowed);
  gate.add_option("--baselines", gate_options.compare.base, "Folder of baselines")
      ->capture_default_str();
  gate.add_option("--out", gate_options.out, "Folder for results.json and summary.md")
      ->capture_default_str();
  add_policy(gate, gate_options.run.policy);
  add_quiet(gate);
  gate.footer(kGateExample);

  CLI::App& approve = *app.add_subcommand("approve", "Makes results the baseline");
  ci::ApproveOptions approve_options;
  approve_options.baselines = "baselines";
  approve.add_option("RESULTS", approve_options.results, "Results files, each a session")
      ->required();
  approve.add_option("--baselines", approve_options.baselines, "Folder of baselines")
      ->capture_default_str();
  approve.add_option("--remove", approve_options.remove, "Benchmark to take out of the baseline")
      ->allow_extra_args(false);
  add_policy(approve, approve_options.policy);
  approve.footer(kApproveExample);

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
  agree.footer(kAgreeExample);

  CLI::App& lines = *app.add_subcommand("lines", "Prints the traffic of each source line");
  ci::LinesCommandOptions lines_options;
  lines.add_option("RESULTS", lines_options.results, "Results file")->required();
  add_filter(lines, lines_options.filter);
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
  metrics.add_flag("--json", metrics_options.json, "Prints JSON");
  metrics.add_option("--program", metrics_options.program,
                     "The executable that asks CUPTI (default: warpgauge_metrics beside this one)");
  metrics.footer(kMetricsExample);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    throw ci::Error(ci::kExitUsage, std::string(error.what()) + "; see warpgauge --help");
  }

  for (ci::RunOptions* options : {&run_options.run, &gate_options.run.run}) {
    options->timeout = milliseconds(waits.timeout_s);
    options->lock_wait = milliseconds(waits.lock_s);
    options->progress = [quiet](const std::string& line) {
      if (!quiet) fmt::print(stderr, "{}\n", ci::one_line(line));
    };
  }
  gate_options.run.run.filter = gate_options.compare.filter;
  compare_options.program = gate_options.compare.program = argv[0];

  if (run.parsed()) return ci::run_command(run_options);
  if (compare.parsed()) return ci::compare_command(compare_options);
  if (gate.parsed()) return ci::gate_command(gate_options);
  if (table.parsed()) return ci::table_command(table_options);
  if (agree.parsed()) return ci::agree_command(agree_options);
  if (lines.parsed()) return ci::lines_command(lines_options);
  if (profile.parsed()) return ci::profile_command(profile_options);
  if (metrics.parsed()) return ci::metrics_command(metrics_options);
  return ci::approve_command(approve_options);
}

int complain(const std::exception& error, int exit_status) {
  fmt::print(stderr, "warpgauge: {}\n", ci::one_line(error.what()));
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
  settle_locale();
  try {
    return run_command_line(argc, argv);
  } catch (const ci::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  } catch (const ci::Error& error) {
    return complain(error, error.exit_status());
  } catch (const std::exception& error) {
    return complain(error, ci::kExitNotMeasured);
  }
}
