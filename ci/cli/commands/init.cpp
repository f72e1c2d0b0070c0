// SPDX-License-Identifier: Apache-2.0
// `warpgauge init`.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/context.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/init/proposal.hpp"
#include "ci/init/proposal_text.hpp"
#include "ci/init/repository.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInitExamples =
    "Examples:\n"
    "  warpgauge init\n"
    "  warpgauge init --yes\n"
    "  warpgauge init --root ../mine --host gitlab";
constexpr const char* kInitStatuses =
    "Exit status:\n"
    "   0  whether or not anything was written\n"
    "   4  a file cannot be written\n"
    "  64  wrong usage, or a link leads out of the repository";

struct InitOptions {
  fs::path root;  // empty: that of the current folder
  std::string host = "auto";
  bool yes = false;
};

// Asks the person at the terminal; without a terminal the answer is no.
bool is_wanted() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) return false;
  fmt::print("Write these? [y/N] ");
  (void)std::fflush(stdout);
  std::string answer;
  return std::getline(std::cin, answer) && (answer == "y" || answer == "Y" || answer == "yes");
}

// The same command, to be run again.
std::string writing_command(const InitOptions& options) {
  std::string command = "warpgauge init --yes";
  if (!options.root.empty()) command += " --root " + shell_word(options.root.string());
  if (options.host != "auto") command += " --host " + options.host;
  return command;
}

// What is left to a person. Commands among it are for that folder.
std::string steps_text(const fs::path& root, const Proposal& proposal) {
  std::vector<NextStep> steps = proposal.by_hand;
  steps.insert(steps.end(), proposal.next.begin(), proposal.next.end());
  return log_text(fmt::format("in {}:\n{}", root.string(), to_text(steps)));
}

// Where no file is to be written.
int say_what_is_left(const fs::path& root, const Proposal& proposal, bool quiet) {
  const bool whole = proposal.by_hand.empty();
  if (quiet) {
    return print(whole ? "Nothing is missing.\n"
                       : "No file is missing; without --quiet it shows the lines to add.\n");
  }
  return print(fmt::format("{} is missing. Left to you, unless it is done, {}",
                           whole ? "Nothing" : "No file", steps_text(root, proposal)));
}

// quiet: says only what is written, or would be, and asks nobody about what was not shown. verbose:
// shows all of each file.
int init(const InitOptions& options, bool quiet, bool verbose) {
  if (!options.root.empty() && !fs::is_directory(options.root)) {
    throw Error(kExitUsage,
                fmt::format("--root {}: there is no such folder", options.root.string()));
  }
  const fs::path root =
      options.root.empty() ? root_of_repository(fs::current_path()) : fs::absolute(options.root);
  Repository repository = look_at_repository(root.lexically_normal());
  if (options.host != "auto") {
    repository.host = options.host == "github" ? Host::github : Host::gitlab;
    repository.why_host = "--host";
  }
  const Proposal proposal = propose(repository);
  // What is written at once can be read where it lies.
  const bool shown = !options.yes && !proposal.files.empty();
  if (!quiet) {
    fmt::print("{}\n", log_text(to_text(repository, proposal,
                                        !shown    ? Contents::left_out
                                        : verbose ? Contents::whole
                                                  : Contents::begun)));
  }
  if (proposal.files.empty()) return say_what_is_left(repository.root, proposal, quiet);
  const std::string steps = steps_text(repository.root, proposal);
  if (shown && !quiet) fmt::print("Next, once these are written, {}\n", steps);
  if (!options.yes && (quiet || !is_wanted())) {
    fmt::print("Nothing is written. To write {}: {}\n", counted(proposal.files.size(), "file"),
               log_text(writing_command(options)));
    return kExitPass;
  }
  write_proposal(repository.root, proposal);
  const std::string written = counted(proposal.files.size(), "file") + " written.";
  if (quiet) return print(written + "\n");
  return print(written + (shown ? " Now the steps above.\n" : " Next, " + steps));
}

}  // namespace

void add_init(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "init",
      "Writes what a repository needs for a gate: a benchmark, a script, a policy, a pipeline");
  const auto options = std::make_shared<InitOptions>();
  command.add_flag(
      "--yes", options->yes,
      "Writes without asking (default: shows what it would write, and asks on a terminal)");
  command
      .add_option("--root", options->root,
                  "The repository's folder (default: the one around the current folder)")
      ->type_name("DIR");
  command
      .add_option("--host", options->host,
                  "Where it is hosted, for the pipeline (default: what git's remote or an existing "
                  "pipeline says)")
      ->check(CLI::IsMember({"auto", "github", "gitlab"}))
      ->capture_default_str();
  command.footer(with_statuses(kInitExamples, kInitStatuses));
  context.on_call(command,
                  [options, &context] { return init(*options, context.quiet, context.verbose); });
}

}  // namespace warpgauge::ci
