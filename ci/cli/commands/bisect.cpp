// SPDX-License-Identifier: Apache-2.0
// `warpgauge bisect`.
#include "ci/gate/bisect/bisect.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/revision/revision_build.hpp"
#include "ci/report/findings.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBisectExamples =
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

struct BisectCommand {
  BisectOptions bisect;
  SuiteOptions suite;
  std::vector<std::string> benchmarks;  // ids; empty: all
  std::optional<fs::path> policy;
  Colour colour = Colour::automatic;
  bool verbose = false;
};

// The commit, and what grew on which line.
std::string culprit_text(const Culprit& culprit) {
  std::string text;
  if (culprit.shas.size() == 1) {
    text = fmt::format("the first commit that regressed: {}\n", culprit.description);
  } else {
    text = fmt::format(
        "the first commit that regressed is one of {}; only the newest of these could be judged: "
        "{}\n",
        culprit.shas.size(), culprit.description);
    for (const std::string& sha : culprit.shas) text += fmt::format("  {:.12}\n", sha);
  }
  std::set<std::string> listed;
  const Findings found = findings(culprit.verdict);
  for (const Finding& finding : found.list) {
    if (finding.level != Level::error || !finding.place) continue;
    std::string line = fmt::format("  {}:{}: {} of {}\n", finding.place->file, finding.place->line,
                                   finding.rule, finding.benchmark);
    if (listed.insert(line).second) text += one_line(line.substr(0, line.size() - 1)) + "\n";
  }
  return log_text(text);
}

// The exit status is 0 when the commit is found.
int find_culprit(BisectCommand options) {
  require_folder_name(options.bisect.out, "what each commit measured");
  const Policy policy = load_policy(options.policy);
  const Effort effort = settle_effort(options.suite, policy);
  RunOptions& run = options.bisect.run;
  run = options.suite.run;
  if (!options.benchmarks.empty()) run.filter = pattern_for(options.benchmarks);
  Culprit culprit;
  try {
    culprit = bisect(options.bisect, effort, policy);
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", log_text(error.last_lines()));
    throw;
  }
  fmt::print("{}\n", terminal_report(culprit.verdict,
                                     style_of_standard_output(options.colour, options.verbose)));
  fmt::print("{}", culprit_text(culprit));
  return culprit.shas.size() == 1 ? kExitPass : kExitNoVerdict;
}

}  // namespace

void add_bisect(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "bisect", "Finds the commit that made a suite worse, in a worktree of its own");
  const auto options = std::make_shared<BisectCommand>();
  options->bisect.out = "results/bisect";
  command.add_option("--good", options->bisect.good, "Known-good revision")->required();
  command.add_option("--bad", options->bisect.bad, "Later revision that is worse")
      ->capture_default_str();
  add_suite_options(command, options->suite);
  command
      .add_option("--benchmark", options->benchmarks,
                  "Benchmark to look at; may be given more than once (default: all that regressed "
                  "between the two)")
      ->allow_extra_args(false);
  command.add_option("--build", options->bisect.build,
                     "Shell command that builds a revision, run in its folder (default: cmake, "
                     "configured like the suite's build)");
  command.add_option("--out", options->bisect.out, "Folder for the results of each commit")
      ->capture_default_str();
  add_policy(command, options->policy);
  add_colour(command, options->colour);
  command.footer(with_statuses(kBisectExamples, kBisectStatuses));
  context.on_call(command, [options, &context] {
    options->verbose = context.verbose;
    context.follow(options->suite.run);
    return find_culprit(*options);
  });
}

}  // namespace warpgauge::ci
