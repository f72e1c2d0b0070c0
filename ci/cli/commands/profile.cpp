// SPDX-License-Identifier: Apache-2.0
// `warpgauge profile`.
#include "ci/measure/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kProfileExamples =
    "Examples:\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu\n"
    "  warpgauge profile transpose/padded/4096x4096 --suite suite_gpu --tool ncu --run -- --set "
    "full";

// run: the tool itself; else the command is printed.
int profile(const ProfileOptions& options, bool run) {
  const SuiteDescription suite = Suite(options.suite, kQuestionTimeout, options.sizes).describe();
  if (suite.backend != "gpu") {
    throw Error(kExitUsage, fmt::format("{} is for the {} device, which has no profilers; give the "
                                        "suite for GPUs",
                                        options.suite.string(), suite.backend));
  }
  if (std::find(suite.ids.begin(), suite.ids.end(), options.id) == suite.ids.end()) {
    throw Error(kExitUsage,
                fmt::format("{} has no benchmark {}; list them with --benchmark_list_tests",
                            options.suite.string(), options.id));
  }
  const auto line = profile_command_line(options);
  if (run) become(line);
  std::vector<std::string> words;
  words.reserve(line.size());
  for (const std::string& each : line) words.push_back(shell_word(each));
  return print(fmt::format("{}\n", fmt::join(words, " ")));
}

}  // namespace

void add_profile(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "profile", "Prints the command that profiles one benchmark with NVIDIA's tools, or runs it");
  struct ProfileCommand {
    ProfileOptions profile;
    bool run = false;
  };
  const auto options = std::make_shared<ProfileCommand>();
  command.add_option("ID", options->profile.id, "The benchmark")->required();
  command.add_option("ARGUMENTS", options->profile.arguments,
                     "Further arguments of the tool, after --");
  command.add_option("--suite", options->profile.suite, "The GPU suite's executable")->required();
  command
      .add_option_function<std::string>(
          "--tool",
          [options](const std::string& name) {
            options->profile.tool = name == "ncu" ? ProfilerTool::ncu : ProfilerTool::nsys;
          },
          "ncu: what one kernel does; nsys: what happens when")
      ->check(CLI::IsMember({"ncu", "nsys"}))
      ->required();
  command.add_option("--sizes", options->profile.sizes, "Sizes, as for warpgauge run")
      ->check(CLI::IsMember({"gate", "large", "emulated"}))
      ->capture_default_str();
  command.add_option("--out", options->profile.out, "Report that the tool writes");
  command.add_flag("--run", options->run, "Runs the command");
  command.footer(kProfileExamples);
  context.on_call(command, [options] { return profile(options->profile, options->run); });
}

}  // namespace warpgauge::ci
