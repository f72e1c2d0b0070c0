// SPDX-License-Identifier: Apache-2.0
// Options, help and output that several subcommands share.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ci/cli/context.hpp"
#include "ci/gate/gate.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/report/links.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Exit statuses of commands that give a verdict.
extern const char* const kVerdictStatuses;

// "2026-11-22", UTC.
[[nodiscard]] std::string today();

// In UTC, as in 2026-11-21T04:19:54Z.
[[nodiscard]] std::string now_utc();

// Reads results, and checks their date. Throws as results::read_results() does, and Error (not
// measured) for a date that is none, or far ahead: it would stay the newest forever.
[[nodiscard]] results::Results read_dated_results(const std::filesystem::path& path);

// Reads several files, each a session. Throws as results::read_results() does, and FileError or
// FormatError if they are more than one command may read.
[[nodiscard]] std::vector<results::Results> read_sessions(
    const std::vector<std::filesystem::path>& paths);

// Checks only the date.
void refuse_odd_time(const std::string& name, const results::Session& session);

[[nodiscard]] std::string with_statuses(const std::string& examples, const char* statuses);

// Adds --quiet and --verbose to each subcommand, and the usual exit statuses if its help names
// none.
void add_common_options(CLI::App& program, Context& context);

// The folder of this program, and of those that it starts.
[[nodiscard]] std::filesystem::path own_folder();

CLI::Option* add_json(CLI::App& command, bool& json);
CLI::Option* add_filter(CLI::App& command, std::string& filter);

// Like CLI::Range, but refuses NaN, and says so if the text is not a number.
[[nodiscard]] CLI::Validator number_between(double low, double high);
[[nodiscard]] CLI::Validator whole_number_between(std::int64_t low, std::int64_t high);

// A project's own policy, which is the default.
inline constexpr const char* kProjectPolicy = "ci/policy.toml";
inline constexpr const char* kProjectBaselines = "baselines";
void add_policy(CLI::App& command, std::optional<std::filesystem::path>& policy);
void add_source_root(CLI::App& command, std::filesystem::path& root);
// Absent: the project's if it exists, else the built-in one.
[[nodiscard]] std::string policy_text(const std::optional<std::filesystem::path>& path);
// … as it is today.
[[nodiscard]] Policy load_policy(const std::optional<std::filesystem::path>& path);
// … for a comparison with this folder of baselines. Throws Error (not measured) if no policy is
// named and none is here, but one is beside the baselines: without its limits and overrides
// something that it fails could pass.
[[nodiscard]] Policy load_policy(const std::optional<std::filesystem::path>& path,
                                 const std::filesystem::path& baselines);

enum class Colour { automatic, always, never };
void add_colour(CLI::App& command, Colour& colour);
// Of a verdict that is printed to standard output.
[[nodiscard]] TerminalStyle style_of_standard_output(Colour colour, bool verbose);

// --source-url and --page-url, for the report in Markdown.
void add_links(CLI::App& command, ReportLinks& links);

// A suite to measure.
struct SuiteOptions {
  RunOptions run;
  std::optional<int> processes;  // absent: what the policy says
};
void add_suite_options(CLI::App& command, SuiteOptions& options);
CLI::Option* add_hot(CLI::App& command, RunOptions& run);
void add_timeout(CLI::App& command, RunOptions& run);

// Stands for the reason in the command that the report names.
inline constexpr const char* kReasonPlaceholder = "…";

// How many processes the gate measures with these options. Sets the run's, too.
[[nodiscard]] Effort settle_effort(SuiteOptions& options, const Policy& policy);

// Writes the run's file, prints how many benchmarks are measured, and returns the exit status.
[[nodiscard]] int deliver_run(const results::RunRecord& run, const std::filesystem::path& out);

// Throws Error (usage) for the name of a file: with run's --out a folder would look like a results
// file. holds: what is put there.
void require_folder_name(const std::filesystem::path& out, const char* holds);

// Prints this text, and returns the exit status.
[[nodiscard]] int print(const std::string& text);

}  // namespace warpgauge::ci
