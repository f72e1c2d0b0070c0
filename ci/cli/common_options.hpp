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
#include "ci/report/links.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Exit statuses of what passes a verdict.
extern const char* const kVerdictStatuses;

// "2026-11-22", UTC.
[[nodiscard]] std::string today();

// In UTC, as in 2026-11-21T04:19:54Z.
[[nodiscard]] std::string now_utc();

// Reads results whose date is to be believed. Throws as results::read_results() does, and Error
// (not measured) for one that is none, or far ahead: it would stay the newest for good.
[[nodiscard]] results::Results read_dated_results(const std::filesystem::path& path);

// Several, each a session. Throws as results::read_results() does, and FileError or FormatError
// where they are more than is read of all of a command.
[[nodiscard]] std::vector<results::Results> read_sessions(
    const std::vector<std::filesystem::path>& paths);

// The date alone.
void refuse_odd_time(const std::string& name, const results::Session& session);

[[nodiscard]] std::string with_statuses(const std::string& examples, const char* statuses);

// To each subcommand: --quiet and --verbose, and the usual exit statuses where its help names no
// others.
void add_common_options(CLI::App& program, Context& context);

// Where this program lies, and beside it those that it starts.
[[nodiscard]] std::filesystem::path own_folder();

CLI::Option* add_json(CLI::App& command, bool& json);
CLI::Option* add_filter(CLI::App& command, std::string& filter);

// Like CLI::Range, which lets NaN through, and says of what is no number that it is out of range.
[[nodiscard]] CLI::Validator number_between(double low, double high);
[[nodiscard]] CLI::Validator whole_number_between(std::int64_t low, std::int64_t high);

// A project's own policy, which is used without being asked for.
inline constexpr const char* kProjectPolicy = "ci/policy.toml";
inline constexpr const char* kProjectBaselines = "baselines";
void add_policy(CLI::App& command, std::optional<std::filesystem::path>& policy);
// Absent: the project's if it is there, else what this program was built with.
[[nodiscard]] std::string policy_text(const std::optional<std::filesystem::path>& path);
// … as it is today.
[[nodiscard]] Policy load_policy(const std::optional<std::filesystem::path>& path);
// … for what is held against this folder of baselines. Throws Error (not measured) where none is
// named and none is here, and there is one beside the baselines: without its limits and overrides
// what it would fail could pass.
[[nodiscard]] Policy load_policy(const std::optional<std::filesystem::path>& path,
                                 const std::filesystem::path& baselines);

enum class Colour { automatic, always, never };
void add_colour(CLI::App& command, Colour& colour);
// Of standard output.
[[nodiscard]] bool in_colour(Colour colour);

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

// What the report leaves to whoever approves, in the command that it names.
inline constexpr const char* kReasonPlaceholder = "…";

// In how many processes these options have a gate measure. Sets those of the run, too.
[[nodiscard]] Effort settle_effort(SuiteOptions& options, const Policy& policy);

// Writes the run's file, prints how many benchmarks are measured, and returns the exit status.
[[nodiscard]] int deliver_run(const results::RunRecord& run, const std::filesystem::path& out);

// Throws Error (usage) for the name of a file: with that of run's --out a folder would look like a
// results file. holds: what is put there.
void require_folder_name(const std::filesystem::path& out, const char* holds);

// Prints this text, and returns the exit status.
[[nodiscard]] int print(const std::string& text);

}  // namespace warpgauge::ci
