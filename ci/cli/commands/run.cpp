// SPDX-License-Identifier: Apache-2.0
// `warpgauge run`.
#include <memory>

#include "ci/cli/common_options.hpp"
#include "ci/cli/program_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/shards.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunExamples =
    "Examples:\n"
    "  warpgauge run --suite build/ci/bin/suite_emulated --out results.json\n"
    "  warpgauge run --suite suite_gpu --shard 3/8 --out shard-3.json\n"
    "  warpgauge run --out results.json -- python3 bench.py";

struct RunCommand {
  SuiteOptions suite;
  fs::path out = "results.json";
  std::optional<fs::path> policy;
  ProgramCommand program;
};

int measure(RunCommand options) {
  const Policy policy = load_policy(options.policy);
  (void)settle_effort(options.suite, policy);
  options.suite.run.controls = policy.controls;
  results::require_writable(options.out);
  if (options.program.given()) {
    return deliver_run(run(program_options(options.program, options.suite, policy)), options.out);
  }
  return deliver_run(run(options.suite.run), options.out);
}

}  // namespace

void add_run(CLI::App& program, Context& context) {
  CLI::App& command =
      *program.add_subcommand("run", "Measures a suite, or any program, into a results file");
  const auto options = std::make_shared<RunCommand>();
  RunOptions& run = options->suite.run;
  add_suite_options(command, options->suite);
  add_program(command, options->program);
  add_filter(command, run.filter);
  command
      .add_option("--sizes", run.sizes,
                  "gate: the gate's sizes; large: sizes far beyond a GPU's caches; emulated: the "
                  "emulator's sizes, at which a GPU counts but does not time")
      ->check(CLI::IsMember({"gate", "large", "emulated"}))
      ->capture_default_str();
  command
      .add_option_function<std::string>(
          "--shard",
          [options](const std::string& text) { options->suite.run.shard = shard_from(text); },
          "Only part I of N of the benchmarks, such as 3/8, chosen by their ids; warpgauge merge "
          "joins the parts")
      ->type_name("I/N");
  command.add_option("--out", options->out, "Results file to write")->capture_default_str();
  add_policy(command, options->policy);
  command.footer(kRunExamples);
  context.on_call(command, [options, &command, &context] {
    check_program(command, options->program);
    if (options->program.given() && !options->suite.run.filter.empty()) {
      throw Error(kExitUsage,
                  "--filter is for a suite: of a program all is measured, and gate and compare "
                  "take the filter");
    }
    context.follow(options->suite.run);
    return measure(*options);
  });
}

}  // namespace warpgauge::ci
