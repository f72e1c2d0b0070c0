// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/common_options.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/terminal_lines.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {

namespace fs = std::filesystem;

const char* const kVerdictStatuses =
    "Exit status:\n"
    "   0  pass\n"
    "   1  regressed\n"
    "   3  no verdict: inconclusive, new, or no baseline for this device\n"
    "   4  not measured: failed, missing, a gated metric gone, unreadable input\n"
    "  64  wrong usage\n"
    "If several apply, the first of 4, 1, 3, 0 counts. 130 and 143 after Ctrl-C and SIGTERM.";

namespace {

// Of subcommands that pass no verdict and have none of their own.
constexpr const char* kUsualStatuses =
    "Exit status:\n"
    "   0  done\n"
    "   4  not done: something failed, is missing, or cannot be read or written\n"
    "  64  wrong usage\n"
    "130 and 143 after Ctrl-C and SIGTERM.";

// An option in seconds.
template <class Milliseconds>  // std::chrono's, or an optional of it
void add_seconds(CLI::App& command, const std::string& name, Milliseconds& value,
                 std::chrono::milliseconds usual, double least, const std::string& description) {
  command
      .add_option_function<double>(
          name,
          [&value](double seconds) {
            value = std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
          },
          description)
      ->check(number_between(least, 1e6))
      ->default_str(std::to_string(usual.count() / 1000));
}

}  // namespace

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

results::Results read_dated_results(const std::filesystem::path& path) {
  results::Results read = results::read_results(path);
  if (!read.session) return read;
  refuse_odd_time(read.name, *read.session);
  return read;
}

std::vector<results::Results> read_sessions(const std::vector<std::filesystem::path>& paths) {
  const std::string all = fmt::format("all {} files", paths.size());
  if (paths.size() > 1) results::check_sizes(paths, results::kAllResultsLimit, all);
  std::vector<results::Results> sessions;
  std::size_t benchmarks = 0;
  std::size_t metrics = 0;
  for (const std::filesystem::path& path : paths) {
    sessions.push_back(results::read_results(path));
    benchmarks += sessions.back().benchmarks.size();
    for (const auto& each : sessions.back().benchmarks) metrics += each.metrics.size();
    if (benchmarks <= results::kMostEntriesOfAll && metrics <= results::kMostMetricsOfAll) continue;
    throw results::FormatError(
        fmt::format("{} have more than {} benchmarks or {} metrics together, the most that one "
                    "command reads; give fewer",
                    all, results::kMostEntriesOfAll, results::kMostMetricsOfAll));
  }
  return sessions;
}

void refuse_odd_time(const std::string& name, const results::Session& session) {
  std::vector<std::string> times{session.created};
  for (const results::Die& die : session.dies) times.push_back(die.created);
  for (const std::string& time : times) {
    const std::string why = why_no_time_until(now_utc(), time);
    if (why.empty()) continue;
    throw Error(kExitNotMeasured, fmt::format("{}: context.warpgauge.created: {}", name, why));
  }
}

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string with_statuses(const std::string& examples, const char* statuses) {
  return fmt::format("{}\n\n{}", examples, statuses);
}

void add_common_options(CLI::App& program, Context& context) {
  const auto all = [](CLI::App*) { return true; };
  for (CLI::App* command : program.get_subcommands(all)) {
    const std::string footer = command->get_footer();
    if (footer.find("Exit status:") == footer.npos) {
      command->footer(with_statuses(footer, kUsualStatuses));
    }
    add_common_options(*command, context);
    if (!command->get_subcommands(all).empty()) continue;
    CLI::Option* quiet = command->add_flag("--quiet", context.quiet,
                                           "Prints only the outcome, what got worse, and errors");
    command
        ->add_flag("--verbose", context.verbose,
                   "Prints the commands and processes that it starts to standard error, and "
                   "everything about each benchmark to the terminal")
        ->excludes(quiet);
  }
}

fs::path own_folder() { return fs::read_symlink("/proc/self/exe").parent_path(); }

CLI::Option* add_json(CLI::App& command, bool& json) {
  return command.add_flag("--json", json, "Prints JSON (see docs/reference/formats.md)");
}

CLI::Option* add_filter(CLI::App& command, std::string& filter) {
  return command
      .add_option("--filter", filter, "Only benchmarks whose id this regular expression matches")
      ->type_name("REGEX");
}

namespace {

template <class Number>
std::string why_not_between(const std::string& text, Number low, Number high, const char* kind) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool is_number = error == std::errc() && rest == end;
  if (is_number && value >= low && value <= high) return {};
  return fmt::format("{} is no {} from {} to {}", text, kind, low, high);
}

// Refuses the name of what is not there. what: "file".
CLI::Validator if_there(bool (*is_there)(const fs::path&, std::error_code&), const char* what) {
  return {[=](const std::string& name) {
            std::error_code unseen;
            return is_there(name, unseen) ? "" : fmt::format("there is no {} '{}'", what, name);
          },
          ""};
}

}  // namespace

CLI::Validator number_between(double low, double high) {
  return {
      [low, high](const std::string& text) { return why_not_between(text, low, high, "number"); },
      fmt::format("NUMBER in [{:g} - {:g}]", low, high)};
}

CLI::Validator whole_number_between(std::int64_t low, std::int64_t high) {
  return {[low, high](const std::string& text) {
            return why_not_between(text, low, high, "whole number");
          },
          fmt::format("INT in [{} - {}]", low, high)};
}

void add_source_root(CLI::App& command, fs::path& root) {
  command
      .add_option(
          "--source-root", root,
          "Folder to which the names of source files are relative (default: the current one)")
      ->type_name("FOLDER")
      ->check(if_there(fs::is_directory, "folder"));
}

void add_policy(CLI::App& command, std::optional<fs::path>& policy) {
  command
      .add_option("--policy", policy,
                  "The policy: what is gated, and how (default: ci/policy.toml if it exists, "
                  "else the built-in policy)")
      ->type_name("FILE")
      ->check(if_there(fs::exists, "file"));
}

std::string policy_text(const std::optional<fs::path>& path) {
  if (!path && !fs::exists(kProjectPolicy)) return built_in_policy_text();
  return results::read_file(path.value_or(kProjectPolicy), results::kPolicyLimit);
}

Policy load_policy(const std::optional<fs::path>& path) {
  if (path) return on_day(read_policy(*path), today());
  return on_day(fs::exists(kProjectPolicy) ? read_policy(kProjectPolicy) : built_in_policy(),
                today());
}

Policy load_policy(const std::optional<fs::path>& path, const fs::path& baselines) {
  if (path || fs::exists(kProjectPolicy)) return load_policy(path);
  fs::path folder = fs::absolute(baselines).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  // Beside baselines/, or baselines/bench.
  for (int i = 0; i < 2; ++i) {
    folder = folder.parent_path();
    const fs::path beside = folder / kProjectPolicy;
    std::error_code unseen;
    if (!fs::exists(beside, unseen)) continue;
    throw Error(kExitNotMeasured,
                fmt::format("there is no {} here, but the baselines' project has one: name it with "
                            "--policy {}, or start in the project's folder",
                            kProjectPolicy, beside.string()));
  }
  return load_policy(path);
}

void add_colour(CLI::App& command, Colour& colour) {
  static const std::map<std::string, Colour> kColours{
      {"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
  command
      .add_option_function<std::string>(
          "--color", [&colour](const std::string& name) { colour = kColours.at(name); },
          "Colour: auto (on a terminal, unless NO_COLOR is set), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}));
}

namespace {

// Where people look, and unless they said that they do not want it: https://no-color.org.
bool in_colour(Colour colour) {
  if (colour != Colour::automatic) return colour == Colour::always;
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !is_set("NO_COLOR") && !dumb && ::isatty(STDOUT_FILENO) == 1;
}

}  // namespace

TerminalStyle style_of_standard_output(Colour colour, bool verbose) {
  return {.colour = in_colour(colour), .verbose = verbose, .columns = columns_of_standard_output()};
}

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Of the repository that this job is of, where GitHub or GitLab runs it.
std::string source_of_job() {
  const std::string server = variable("GITHUB_SERVER_URL");
  const std::string repository = variable("GITHUB_REPOSITORY");
  const std::string project = variable("CI_PROJECT_URL");
  const std::string url = !repository.empty() && !server.empty()
                              ? fmt::format("{}/{}/blob", server, repository)
                          : project.empty() ? ""
                                            : project + "/-/blob";
  return is_linkable(url) ? url : "";
}

std::string refuse_unlinkable(const std::string& url) {
  return is_linkable(url) ? "" : fmt::format("'{}' is no address that a report can link", url);
}

}  // namespace

void add_links(CLI::App& command, ReportLinks& links) {
  links.source = source_of_job();
  command
      .add_option("--source-url", links.source,
                  "Address of the repository's files by revision, such as "
                  "https://github.com/OWNER/NAME/blob, to which the Markdown report links source "
                  "lines (default: what GitHub or GitLab tells a job)")
      ->type_name("URL")
      ->check(refuse_unlinkable);
  command
      .add_option("--page-url", links.page,
                  "Address of the HTML report, to which the Markdown report links each benchmark")
      ->type_name("URL")
      ->check(refuse_unlinkable);
}

void add_suite_options(CLI::App& command, SuiteOptions& options) {
  command.add_option("--suite", options.run.suite, "The suite's executable")->required();
  command
      .add_option_function<std::string>(
          "--counters",
          [&options](const std::string& names) {
            std::istringstream list(names);
            for (std::string name; std::getline(list, name, ',');) {
              options.run.counters.push_back(name);
            }
          },
          "GPU counters to read besides the usual ones, by CUPTI's names (warpgauge metrics lists "
          "them). With a COMMAND, with or without names: runs it once more to read counters, and "
          "replays at most four launches of each kernel")
      ->delimiter(',')
      ->type_name("NAMES")
      ->multi_option_policy(CLI::MultiOptionPolicy::Join)
      ->expected(0, 1);
  command.add_option("--processes", options.processes, "How many fresh processes measure time")
      ->check(whole_number_between(1, 1000));
  add_hot(command, options.run);
  add_timeout(command, options.run);
  add_seconds(command, "--lock-wait", options.run.lock_wait, options.run.lock_wait, 0,
              "Seconds to wait for another run on the same GPU");
  add_source_root(command, options.run.source_root);
  command
      .add_option("--machine-code", options.run.machine_code,
                  "Files with GPU code, compiled with -lineinfo. They show which resources the "
                  "kernels need, and for each source line whether nvcc kept its accesses as "
                  "written (default: the suite itself, if it is for a GPU)")
      ->allow_extra_args(false);
}

CLI::Option* add_hot(CLI::App& command, RunOptions& run) {
  return command.add_flag(
      "--hot", run.hot,
      "Leaves the caches as the last launch left them, instead of emptying them before each "
      "launch. Such results are compared only with others like them");
}

void add_timeout(CLI::App& command, RunOptions& run) {
  add_seconds(command, "--timeout", run.timeout, kSuiteTimeout, 0.001,
              "Seconds without progress after which a benchmark counts as hung (a program: 600 by "
              "default)");
}

Effort settle_effort(SuiteOptions& options, const Policy& policy) {
  options.run.processes = options.processes.value_or(policy.processes);
  return {.processes = options.run.processes,
          .most_processes = options.processes.value_or(policy.most_processes),
          .budget = std::chrono::seconds(policy.budget_s)};
}

int deliver_run(const results::RunRecord& run, const fs::path& out) {
  write_run(out, run);
  const results::Results results = results_from(run, out.string());
  const std::size_t failed = failed_in(results);
  fmt::print("{}: {} measured, {} failed\n", out.string(),
             counted(results.benchmarks.size() - failed, "benchmark"), failed);
  return failed == 0 ? kExitPass : kExitNotMeasured;
}

void require_folder_name(const fs::path& out, const char* holds) {
  const bool is_folder_name = fs::exists(out) ? fs::is_directory(out) : out.extension() != ".json";
  if (is_folder_name) return;
  throw Error(kExitUsage,
              fmt::format("--out {}: must be a folder, for {}; name one", out.string(), holds));
}

int print(const std::string& text) {
  fmt::print("{}", text);
  return kExitPass;
}

}  // namespace warpgauge::ci
