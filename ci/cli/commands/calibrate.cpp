// SPDX-License-Identifier: Apache-2.0
// `warpgauge calibrate`.
#include "ci/gate/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/comparison_options.hpp"
#include "ci/cli/program_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/gate/calibrate/calibration_report.hpp"
#include "ci/gate/calibrate/proposed_floors.hpp"
#include "ci/measure/interleaved.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/program/program_match.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCalibrateStatuses =
    "Exit status:\n"
    "   0  done\n"
    "   3  no policy is written: a floor above 30 % would find almost nothing\n"
    "   4  not done: something failed, is missing, or cannot be read or written\n"
    "  64  wrong usage\n"
    "130 and 143 after Ctrl-C and SIGTERM.";

constexpr const char* kCalibrateExamples =
    "Examples:\n"
    "  warpgauge calibrate --suite suite_gpu --processes 40\n"
    "  warpgauge calibrate --suite suite_gpu --slowed suite_gpu_slower --json rates.json\n"
    "  warpgauge calibrate monday.json tuesday.json wednesday.json --budget 8\n"
    "  warpgauge calibrate monday.json tuesday.json --policy-out policy.toml\n"
    "  warpgauge calibrate --policy-out policy.toml -- python3 bench.py";

struct CalibrateCommand {
  std::vector<std::string> words;  // results files, or a program and its arguments
  SuiteOptions suite;              // which one, if any, and in how many processes
  ProgramCommand program;
  // The same suite with slower kernels, or what was recorded of it.
  std::optional<fs::path> slowed;
  fs::path out = "calibration";  // folder for what is measured
  std::optional<int> budget;     // processes a side; absent: what the policy says
  int trials = 1000;
  std::uint64_t seed = 1;
  bool in_turns = false;
  std::optional<fs::path> policy;
  std::optional<fs::path> json;
  std::optional<fs::path> policy_out;
};

struct Recorded {
  std::vector<results::Results> sessions;
  std::optional<results::Results> slowed;
};

results::Results keep(const results::RunRecord& run, const fs::path& path) {
  write_run(path, run);
  return results_from(run, path.string());
}

// Measures the program, or the suite, interleaved with the slowed one if there is one.
Recorded record(const CalibrateCommand& options, const Policy& policy) {
  const fs::path out = options.out / "recorded.json";
  results::require_writable(out);
  const RunOptions& suite = options.suite.run;
  if (options.program.given()) {
    return {{keep(run(program_options(options.program, options.suite, policy)), out)},
            std::nullopt};
  }
  if (!options.slowed) return {{keep(run(suite), out)}, std::nullopt};
  RunOptions run_slowed = suite;
  run_slowed.suite = *options.slowed;
  Interleaved suites(suite, "the suite", std::move(run_slowed), options.seed);
  suites.observe_all();
  return {{keep(suites.before(), out)}, keep(suites.after(), options.out / "slowed.json")};
}

Recorded read(const CalibrateCommand& options) {
  std::vector<fs::path> files(options.words.begin(), options.words.end());
  if (options.slowed) files.push_back(*options.slowed);
  Recorded recorded{read_sessions(files), std::nullopt};
  if (!options.slowed) return recorded;
  recorded.slowed = std::move(recorded.sessions.back());
  recorded.sessions.pop_back();
  return recorded;
}

// The policy's effort; for imported results as many processes as there are, since nobody measures
// more of them.
Effort effort_for(const std::vector<results::Results>& sessions, const CalibrateCommand& options,
                  const Policy& policy) {
  if (options.budget) return {.processes = *options.budget, .most_processes = *options.budget};
  const auto& session = sessions.front().session;
  if (!session || !session->imported) {
    Effort effort{policy.processes, policy.most_processes};
    if (is_of_program(sessions.front())) effort.early = early_look(effort.processes);
    return effort;
  }
  return {session->processes, session->processes};
}

// The policy's text, with the floors that the sessions need instead of its floors for the same
// device.
std::string with_floors(const CalibrateCommand& options, const std::vector<Policy::Floor>& floors) {
  const std::string text = policy_text(options.policy);
  return without_floors_like(floors.front(), text) + floors_toml(floors);
}

void require_new(const fs::path& path) {
  if (fs::exists(path)) {
    throw Error(kExitUsage,
                fmt::format("--policy-out {}: exists already; name another file, or remove it",
                            path.string()));
  }
  results::require_writable(path);
}

// A gate with a floor above this finds almost nothing.
constexpr double kHighestFloor = 0.3;

// No policy is better than one that passes whatever happens.
[[noreturn]] void refuse_useless(const Policy::Floor& of_all, const fs::path& path) {
  throw Error(
      kExitNoVerdict,
      fmt::format("{} is not written: these sessions differ so much that the floor would be "
                  "{:g} %, and nothing smaller would be found; record new ones while the machine "
                  "does nothing else, or in more processes",
                  path.string(), 100 * of_all.relative_floor));
}

// Benchmarks whose own floor is as useless, where that of all others is not.
std::string remark_on_useless(const std::vector<Policy::Floor>& floors) {
  std::vector<std::string> useless;
  for (const Policy::Floor& each : floors) {
    if (each.relative_floor > kHighestFloor) useless.push_back(each.benchmarks);
  }
  if (useless.empty()) return "";
  return fmt::format("No slowdown below {:g} % is found in {}: they differ too much.\n",
                     100 * kHighestFloor, some_of(useless, 5));
}

std::string summary_of(const fs::path& path, const std::vector<Policy::Floor>& floors) {
  const Policy::Floor& all = floors.front();
  return fmt::format("{}: the policy with the floor of {} on {}: {:g} %{}\n", path.string(),
                     all.command.empty() ? to_string(all.clock) + " clock" : all.command,
                     all.devices.front(), 100 * all.relative_floor,
                     floors.size() > 1
                         ? fmt::format("; {} with more", counted(floors.size() - 1, "benchmark"))
                         : "");
}

// Whether a shell would start it. Results files do not have such names.
bool is_program(const std::string& word) {
  if (word.ends_with(".json")) return false;
  if (word.find('/') == word.npos) return !find_program(word).empty();
  return fs::is_regular_file(word) && ::access(word.c_str(), X_OK) == 0;
}

// Decides which of the three ways it is.
void settle(const CLI::App& command, CalibrateCommand& options) {
  const bool has_suite = !options.suite.run.suite.empty();
  if (!options.words.empty() && is_program(options.words.front())) {
    options.program.words = std::exchange(options.words, {});
  }
  if (options.words.empty() && !has_suite && !options.program.given()) {
    throw Error(kExitUsage,
                "give a suite to measure (--suite), a program after --, or results files of "
                "several sessions; see warpgauge calibrate --help");
  }
  const auto refuse = [&](const char* option, const char* why) {
    if (command.get_option(option)->count() > 0) {
      throw Error(kExitUsage, fmt::format("{} {}", option, why));
    }
  };
  if (options.program.given()) {
    for (const char* option : {"--slowed", "--filter", "--in-turns"}) {
      refuse(option, "is for a suite, and this is a program: leave one out");
    }
    return;
  }
  for (const char* option : {"--skip-until", "--injection"}) {
    refuse(option, "is for a program: give its command after --");
  }
  if (has_suite) return;
  for (const char* option : {"--processes", "--out"}) {
    refuse(option, "is for a measurement: give --suite, or a program after --");
  }
}

int calibrate_gate(const CalibrateCommand& options) {
  require_folder_name(options.out, "recorded.json and slowed.json");
  if (options.policy_out) require_new(*options.policy_out);
  Policy policy = load_policy(options.policy);
  const bool measures = options.program.given() || !options.suite.run.suite.empty();
  const auto [sessions, slowed] = measures ? record(options, policy) : read(options);
  if (options.suite.run.filter.empty() && has_all_benchmarks(sessions.front())) {
    refuse_unknown_patterns(policy, ids_of(sessions.front()), kProjectBaselines);
  }
  CalibrationOptions calibration;
  calibration.effort = effort_for(sessions, options, policy);
  calibration.trials = options.trials;
  calibration.seed = options.seed;
  calibration.in_turns = options.in_turns;
  std::string summary;
  std::vector<Policy::Floor> floors;
  if (options.policy_out) floors = floors_of(sessions, policy, calibration);
  const bool is_useless = !floors.empty() && floors.front().relative_floor > kHighestFloor;
  if (!floors.empty() && !is_useless) {
    const std::string text = with_floors(options, floors);
    policy = on_day(parse_policy(text, options.policy_out->string()), today());
    results::write_file_atomically(*options.policy_out, text);
    summary = summary_of(*options.policy_out, floors) + remark_on_useless(floors);
  }
  const Calibration found = calibrate(sessions, slowed, policy, calibration);
  if (options.json) results::write_file_atomically(*options.json, calibration_json(found));
  const int status =
      print(summary + calibration_summary(found) + "\n" + calibration_tables(found, ""));
  if (is_useless) refuse_useless(floors.front(), *options.policy_out);
  return status;
}

}  // namespace

void add_calibrate(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "calibrate", "Measures how often the gate is wrong on this machine, and what it finds");
  const auto options = std::make_shared<CalibrateCommand>();
  RunOptions& run = options->suite.run;
  CLI::Option* recorded =
      command.add_option("RECORDED", options->words,
                         "Results files of one suite or program, each a session. With two or more, "
                         "each is also compared with the others as its baseline. Or, after --, a "
                         "program and its arguments to measure");
  CLI::Option* suite =
      command.add_option("--suite", run.suite, "Executable of the suite to measure");
  suite->excludes(recorded);
  command.add_option("--slowed", options->slowed,
                     "The same suite with slower kernels: with --suite its executable, else its "
                     "results file, from the device of one of the sessions. Shows how often the "
                     "gate finds these, besides slowdowns that are simulated");
  run.processes = 40;
  command.add_option("--processes", run.processes, "Fresh processes to measure")
      ->check(whole_number_between(2, 1000))
      ->capture_default_str();
  add_program_options(command, options->program);
  add_hot(command, run)->needs(suite);
  add_filter(command, run.filter);
  command.add_option("--out", options->out, "Folder for what is measured")->capture_default_str();
  add_timeout(command, run);
  command
      .add_option("--budget", options->budget,
                  "Processes per side in a simulated gate (default: the policy's; for imported "
                  "results as many as the first has)")
      ->check(whole_number_between(2, 1000));
  command.add_flag("--in-turns", options->in_turns,
                   "Also simulates gates that measure in turns what a baseline leaves open (gate "
                   "--against-prebuilt)");
  command.add_option("--trials", options->trials, "How many gates without a slowdown to simulate")
      ->check(whole_number_between(10, 1'000'000))
      ->capture_default_str();
  command.add_option("--seed", options->seed, "Seed of the simulation")->capture_default_str();
  command.add_option("--json", options->json, "File for all rates, for other programs");
  add_policy(command, options->policy);
  command.add_option("--policy-out", options->policy_out,
                     "New file for the policy with the floors that these results need: with them, "
                     "identical code gets a verdict and no alarm. They name the device and its "
                     "clock, and the rates shown are with them");
  command.footer(with_statuses(kCalibrateExamples, kCalibrateStatuses));
  context.on_call(command, [options, &command, &context] {
    settle(command, *options);
    context.follow(options->suite.run);
    return calibrate_gate(*options);
  });
}

}  // namespace warpgauge::ci
