// SPDX-License-Identifier: Apache-2.0
// What `compare` and `gate` share: how results are compared with a baseline, and where the verdict
// goes.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/baselines/merge_base.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/gate/gate.hpp"
#include "ci/policy/policy.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A report in a format by name, into a file.
struct ReportRequest {
  std::string format;
  std::filesystem::path out;
};

struct ComparisonOptions {
  std::filesystem::path base;  // a folder of baselines, or a results file
  std::filesystem::path fresh;
  std::optional<std::filesystem::path> policy;
  std::string filter;         // regular expression on ids; empty: all
  std::set<Verdict> allowed;  // verdicts that pass, too
  std::optional<std::filesystem::path> summary;
  std::optional<double> threshold;              // see compare(); as a share
  bool treat_as_changed = false;                // see ComparisonTerms
  bool check = false;                           // reads all but results, and compares nothing
  std::optional<std::filesystem::path> listed;  // of --check: what can be measured
  int looks = 1;        // how often a growing set of processes is compared until all is clear
  std::string explain;  // id or pattern of ids to explain; empty: nothing
  std::optional<std::filesystem::path> json;  // verdict.json
  std::vector<ReportRequest> reports;
  std::filesystem::path source_root = ".";
  // A revision: the report names edits of baselines and policy since its merge base with HEAD.
  // Empty: it names none.
  std::string merge_base;
  // Where `base` is a file: the baselines whose edits are named.
  std::optional<std::filesystem::path> baselines;
  // Other baselines by which code must be unchanged, too, like those of the merge base. Absent:
  // none.
  std::optional<std::filesystem::path> identity_from;
  Colour colour = Colour::automatic;
  bool quiet = false;    // prints only what is worse and the outcome
  bool verbose = false;  // all of each benchmark on the terminal
  ReportLinks links;
  std::string program = "warpgauge";  // as it was called, for commands that the report names
};

void add_allowed(CLI::App& command, std::set<Verdict>& allowed);
void add_explain(CLI::App& command, std::string& explain);
void add_merge_base(CLI::App& command, std::string& revision);
void add_reports(CLI::App& command, std::vector<ReportRequest>& reports);

// A path that does not exist counts as a folder unless it looks like a file.
[[nodiscard]] bool is_folder(const std::filesystem::path& path);

void keep_matching(results::Results& results, const IdFilter& wanted);

// Of the baselines of all devices in the folder.
[[nodiscard]] std::set<std::string> stored_metrics(const std::filesystem::path& baselines);

// Whether a policy's overrides should find their benchmarks in these results: no filter left any
// out, and they come from a suite, not from machine code or from a program beside the suite. A
// plain file counts as a suite's.
[[nodiscard]] bool has_all_benchmarks(const results::Results& results);

// Ids of all benchmarks that were measured.
[[nodiscard]] std::vector<std::string> ids_of(const results::Results& results);

// For comparisons without the folder. A part of the suite may lack a benchmark that the policy
// names, but then some baseline has it. Throws as refuse_idle_patterns() does.
void refuse_unknown_patterns(const Policy& policy, std::vector<std::string> measured,
                             const std::filesystem::path& baselines);

// Throws Error (usage) for a filter that matches none of these ids, with a suggestion.
void refuse_idle_filter(const std::string& filter, const IdFilter& wanted,
                        const std::vector<std::string>& ids);

// The baselines must be readable. Of the filter throws as refuse_idle_filter() does if all that can
// be measured is listed; else it prints to standard error, since what is new may be meant.
void check_before_measuring(const ComparisonOptions& options, const IdFilter& wanted);

// The plan after a short look.
[[nodiscard]] TimingPlan plan_with_folder(const ComparisonOptions& options, const Policy& policy,
                                          const std::optional<MergeBase>& merge_base,
                                          const results::Results& seen);

// Throws Error (not measured) for results that name no device.
[[nodiscard]] GateVerdict compare_with_folder(const ComparisonOptions& options,
                                              const IdFilter& wanted, const Policy& policy,
                                              const std::optional<MergeBase>& merge_base,
                                              MeasuredSides measured);

// The command that makes these results the baseline; the user fills in the reason. how: more
// options, " --new-environment".
[[nodiscard]] std::string approve_command_line(const ComparisonOptions& options,
                                               const std::string& how = {});

// Called before anything is measured, so that an unknown revision is found at once.
[[nodiscard]] std::optional<MergeBase> merge_base_of(const ComparisonOptions& options);

// Writes and prints all reports of the verdict, and returns its exit status. Throws Error (usage)
// if the filter leaves no benchmark.
[[nodiscard]] int deliver(GateVerdict verdict, const ComparisonOptions& options,
                          const Policy& policy, const std::optional<MergeBase>& base);

}  // namespace warpgauge::ci
