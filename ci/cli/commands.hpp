// SPDX-License-Identifier: Apache-2.0
// What the subcommands of `warpgauge` do, apart from their command lines. Each returns an exit
// status or throws Error, results::FileError or results::FormatError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/gate/against.hpp"
#include "ci/gate/bisect.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/measure/profile.hpp"
#include "ci/measure/static_results.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/results_table.hpp"
#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// As it is today. Absent: ci/policy.toml if it is there, else what this program was built with.
[[nodiscard]] Policy load_policy(const std::optional<std::filesystem::path>& path);

enum class Colour { automatic, always, never };

// A report in a format by name, into a file.
struct ReportRequest {
  std::string format;
  std::filesystem::path out;
};

struct CompareOptions {
  std::filesystem::path base;  // a folder of baselines, or a results file
  std::filesystem::path fresh;
  std::optional<std::filesystem::path> policy;
  std::string filter;         // regular expression on ids; empty: all
  std::set<Verdict> allowed;  // verdicts that are let pass
  std::optional<std::filesystem::path> summary;
  std::optional<double> threshold;            // see compare(); as a share
  std::string explain;                        // id or pattern of ids to tell all about; empty: none
  std::optional<std::filesystem::path> json;  // verdict.json
  std::vector<ReportRequest> reports;
  std::filesystem::path source_root = ".";
  // A revision: edits of baselines and policy since its merge base with HEAD are named. Empty: not.
  std::string merge_base;
  Colour colour = Colour::automatic;
  std::string program = "warpgauge";  // as it was called, for commands that the report names
};
[[nodiscard]] int compare_command(const CompareOptions& options);

struct RunCommandOptions {
  RunOptions run;
  std::filesystem::path out;
  std::optional<int> processes;
  std::optional<std::filesystem::path> policy;
};
[[nodiscard]] int run_command(RunCommandOptions options);

struct StaticCommandOptions {
  StaticOptions options;
  std::filesystem::path out;
};
[[nodiscard]] int static_command(const StaticCommandOptions& options);

struct GateOptions {
  RunCommandOptions run;
  CompareOptions compare;
  std::filesystem::path out;  // a folder
  // Instead of what compare.base says; the paths within are made of `out`.
  std::optional<AgainstOptions> against;
};
[[nodiscard]] int gate_command(GateOptions options);

struct BisectCommandOptions {
  BisectOptions bisect;
  std::vector<std::string> benchmarks;  // ids; empty: all
  std::optional<int> processes;
  std::optional<std::filesystem::path> policy;
  Colour colour = Colour::automatic;
  std::vector<std::string> arguments;  // of this command, for its steps
  std::optional<std::string> step;     // filter of the step that this is
};
// 0 when the commit is found; for a step what `git bisect run` asks for.
[[nodiscard]] int bisect_command(BisectCommandOptions options);

struct ReportOptions {
  std::filesystem::path verdict;  // verdict.json
  std::string format = "terminal";
  std::optional<std::filesystem::path> out;  // absent: standard output
  Colour colour = Colour::automatic;
};
// Shows a verdict that was written earlier, whatever it is: 0.
[[nodiscard]] int report_command(const ReportOptions& options);

struct ApproveOptions {
  std::vector<std::filesystem::path> results;
  std::filesystem::path baselines;
  std::string filter;  // regular expression on ids; empty: all
  std::vector<std::string> remove;
  std::string reason;
  bool new_environment = false;
  std::optional<std::filesystem::path> policy;
  bool json = false;
};
[[nodiscard]] int approve_command(const ApproveOptions& options);

struct TableCommandOptions {
  std::filesystem::path results;
  std::vector<std::string> references = TableOptions().references;
  std::optional<std::filesystem::path> into;  // a page with markers; absent: standard output
  bool json = false;
};
[[nodiscard]] int table_command(const TableCommandOptions& options);

struct AgreeCommandOptions {
  std::filesystem::path emulated;
  std::filesystem::path hardware;
  std::optional<std::filesystem::path> into;  // a page with markers; absent: standard output
  bool json = false;
};
[[nodiscard]] int agree_command(const AgreeCommandOptions& options);

struct CalibrateCommandOptions {
  std::vector<std::filesystem::path> recorded;  // sessions; empty: the suite is measured
  RunOptions run;                               // of which suite and in how many processes
  // The same suite with slower kernels, or what was recorded of it.
  std::optional<std::filesystem::path> slowed;
  std::filesystem::path out;  // folder for what is measured
  std::optional<int> budget;  // processes a side; absent: what the policy says
  int trials = 1000;
  std::uint64_t seed = 1;
  std::optional<std::filesystem::path> policy;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> into;  // a page with markers; absent: standard output
};
[[nodiscard]] int calibrate_command(CalibrateCommandOptions options);

struct LinesCommandOptions {
  std::filesystem::path results;
  std::string filter;  // regular expression on ids; empty: all
  bool json = false;
};
[[nodiscard]] int lines_command(const LinesCommandOptions& options);

struct ProfileCommandOptions {
  ProfileOptions profile;
  bool run = false;  // the tool itself; otherwise the command is printed
};
[[nodiscard]] int profile_command(const ProfileCommandOptions& options);

struct MetricsCommandOptions {
  // warpgauge_metrics; absent: the one beside this program.
  std::optional<std::filesystem::path> program;
  std::string chip;  // empty: the chips are listed
  std::string text;  // that a metric's name or description has; empty: all metrics
  bool json = false;
};
[[nodiscard]] int metrics_command(const MetricsCommandOptions& options);

}  // namespace warpgauge::ci
