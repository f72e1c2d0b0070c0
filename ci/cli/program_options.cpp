// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/program_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ci/cli/common_options.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInjection = "libwarpgauge_inject.so";
constexpr const char* kDoctor = "warpgauge_doctor";

// What only a suite can be asked for.
constexpr const char* kOfSuites[] = {
    "--suite",           "--hot",     "--sizes",         "--shard",
    "--machine-code",    "--against", "--against-build", "--against-prebuilt",
    "--since-anchor",    "--build",   "--seed",          "--all",
    "--treat-as-changed"};

// Beside this program where it was built, in lib/ where it is installed.
fs::path injection() {
  const fs::path installed = own_folder().parent_path() / "lib" / kInjection;
  return fs::exists(installed) ? installed : own_folder() / kInjection;
}

// Beside bin/, where this was built as where it is installed.
fs::path python() { return own_folder().parent_path() / "share/warpgauge/python"; }

// Beside the injection library where that is named, else beside this program. Empty: built without
// CUDA.
fs::path doctor(const fs::path& named_injection) {
  const fs::path folder = named_injection.empty() ? own_folder() : named_injection.parent_path();
  const fs::path program = fs::absolute(folder / kDoctor);
  return fs::is_regular_file(program) ? program : "";
}

}  // namespace

void add_program(CLI::App& command, ProgramCommand& program) {
  command.get_option("--suite")->required(false);
  command.add_option("COMMAND", program.words,
                     "Instead of a suite: any program that uses CUDA, with its arguments, after "
                     "--. It runs unchanged, at least three times");
  command
      .add_option("--lines", program.lines,
                  "With a COMMAND: a kernel, by name or id. Runs the program once more to count "
                  "the traffic of each source line of it, for warpgauge lines")
      ->type_name("KERNEL")
      ->allow_extra_args(false);
  add_program_options(command, program);
}

void add_program_options(CLI::App& command, ProgramCommand& program) {
  command
      .add_option("--skip-until", program.skip_until,
                  "With a COMMAND: ignores everything before the first NVTX range of this name")
      ->type_name("RANGE");
  command
      .add_option("--injection", program.injection,
                  "With a COMMAND: the library that CUDA and NVTX load into it; warpgauge_doctor "
                  "must lie beside it (default: libwarpgauge_inject.so of this installation)")
      ->type_name("FILE");
}

void check_program(const CLI::App& command, ProgramCommand& program) {
  const auto is_given = [&](const char* name) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  if (!program.given()) {
    if (!program.skip_until.empty()) {
      throw Error(kExitUsage, "--skip-until is for a program: give its command after --");
    }
    if (!program.lines.empty()) {
      throw Error(kExitUsage, "--lines is for a program: a suite counts the lines of all kernels");
    }
    if (is_given("--suite")) return;
    throw Error(kExitUsage,
                fmt::format("nothing to measure: give --suite SUITE, or a program after --; see "
                            "warpgauge {} --help",
                            command.get_name()));
  }
  program.counters = is_given("--counters");
  for (const char* option : kOfSuites) {
    if (!is_given(option)) continue;
    throw Error(kExitUsage, fmt::format("{} is for a suite, and {} is a program: leave one out",
                                        option, program.words.front()));
  }
}

ProgramOptions program_options(const ProgramCommand& program, const SuiteOptions& options,
                               const Policy& policy) {
  if (options.run.processes < kFewestStarts) {
    throw Error(
        kExitUsage,
        fmt::format("a program takes at least {} processes, which show how much they differ; {} {} "
                    "asked for",
                    kFewestStarts, options.run.processes,
                    options.run.processes == 1 ? "is" : "are"));
  }
  ProgramOptions made;
  made.command = program.words;
  made.injection = program.injection.empty() ? injection() : program.injection;
  made.doctor = doctor(program.injection);
  made.python = python();
  made.skip_until = program.skip_until;
  made.counters = program.counters;
  made.more_counters = options.run.counters;
  made.lines = program.lines;
  made.source_root = options.run.source_root;
  made.processes = options.run.processes;
  // Much less than what is gated, so that what is near that is there on both sides.
  made.terms.least_share = policy.least_share / 5;
  made.terms.is_exact = [policy](const std::string& id, const std::string& counter) {
    return policy.rule_for(id, counter).metric_class == MetricClass::exact;
  };
  // Programs compile and load for long without a word: what was not asked for is longer for them.
  made.timeout = options.run.timeout.value_or(made.timeout);
  made.lock_wait = options.run.lock_wait;
  made.log = options.run.log;
  return made;
}

}  // namespace warpgauge::ci
