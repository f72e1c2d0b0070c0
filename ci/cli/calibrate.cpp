// SPDX-License-Identifier: Apache-2.0
// `warpgauge calibrate`.
#include "ci/gate/calibrate.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/gate/calibration_report.hpp"
#include "ci/measure/interleaved.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCalibrateExamples =
    "Examples:\n"
    "  warpgauge calibrate --suite suite_gpu --processes 40\n"
    "  warpgauge calibrate --suite suite_gpu --slowed suite_gpu_slower --json rates.json\n"
    "  warpgauge calibrate monday.json tuesday.json wednesday.json --budget 8";

struct CalibrateCommand {
  std::vector<fs::path> recorded;  // sessions; empty: the suite is measured
  RunOptions run;                  // of which suite and in how many processes
  // The same suite with slower kernels, or what was recorded of it.
  std::optional<fs::path> slowed;
  fs::path out = "calibration";  // folder for what is measured
  std::optional<int> budget;     // processes a side; absent: what the policy says
  int trials = 1000;
  std::uint64_t seed = 1;
  std::optional<fs::path> policy;
  std::optional<fs::path> json;
};

struct Recorded {
  std::vector<results::Results> sessions;
  std::optional<results::Results> slowed;
};

results::Results keep(const results::RunRecord& run, const fs::path& path) {
  write_run(path, run);
  return results_from(run, path.string());
}

// Measures the suite, interleaved with the slowed one if there is one.
Recorded record(const CalibrateCommand& options) {
  const fs::path out = options.out / "recorded.json";
  results::require_writable(out);
  if (!options.slowed) return {{keep(run(options.run), out)}, std::nullopt};
  RunOptions run_slowed = options.run;
  run_slowed.suite = *options.slowed;
  Interleaved suites(options.run, "the suite", std::move(run_slowed), options.seed);
  suites.observe_all();
  return {{keep(suites.before(), out)}, keep(suites.after(), options.out / "slowed.json")};
}

Recorded read(const CalibrateCommand& options) {
  Recorded recorded;
  for (const fs::path& path : options.recorded) {
    recorded.sessions.push_back(results::read_results(path));
  }
  if (options.slowed) recorded.slowed = results::read_results(*options.slowed);
  return recorded;
}

int calibrate_gate(const CalibrateCommand& options) {
  require_folder_name(options.out, "recorded.json and slowed.json");
  const Policy policy = load_policy(options.policy);
  if (options.recorded.empty() && options.run.suite.empty()) {
    throw Error(kExitUsage,
                "give a suite to measure (--suite), or results files of several sessions; see "
                "warpgauge calibrate --help");
  }
  const auto [sessions, slowed] = options.recorded.empty() ? record(options) : read(options);
  CalibrationOptions calibration;
  calibration.effort = {.processes = options.budget.value_or(policy.processes),
                        .most_processes = options.budget.value_or(policy.most_processes)};
  calibration.trials = options.trials;
  calibration.seed = options.seed;
  const Calibration found = calibrate(sessions, slowed, policy, calibration);
  if (options.json) results::write_file_atomically(*options.json, calibration_json(found));
  return print(calibration_tables(found, ""));
}

}  // namespace

void add_calibrate(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "calibrate", "Tells how often the gate is wrong on this machine, and what it finds");
  const auto options = std::make_shared<CalibrateCommand>();
  RunOptions& run = options->run;
  CLI::Option* recorded =
      command.add_option("RECORDED", options->recorded,
                         "Results files of one and the same suite, each a session; from two on "
                         "each is also held against the others as its baseline");
  CLI::Option* suite =
      command.add_option("--suite", run.suite, "The suite's executable, to be measured");
  suite->excludes(recorded);
  command.add_option(
      "--slowed", options->slowed,
      "The same suite with slower kernels: its executable with --suite, else its "
      "results file, of the device of one of the sessions. How often what is slower in "
      "it is found is told beside what is injected as numbers");
  run.processes = 40;
  command.add_option("--processes", run.processes, "Fresh processes to measure")
      ->needs(suite)
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  add_hot(command, run)->needs(suite);
  add_filter(command, run.filter);
  command.add_option("--out", options->out, "Folder for what is measured")
      ->needs(suite)
      ->capture_default_str();
  add_timeout(command, run);
  command
      .add_option("--budget", options->budget,
                  "Processes a side that the gate has (default: as the policy says)")
      ->check(CLI::Range(2, 1000));
  command.add_option("--trials", options->trials, "Gates without a slowdown")
      ->check(CLI::Range(10, 1'000'000))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Of the drawing")->capture_default_str();
  command.add_option("--json", options->json, "File to write all rates to, for other programs");
  add_policy(command, options->policy);
  command.footer(kCalibrateExamples);
  context.on_call(command, [options, &context] {
    context.follow(options->run);
    return calibrate_gate(*options);
  });
}

}  // namespace warpgauge::ci
