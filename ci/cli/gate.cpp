// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate`.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "ci/cli/comparison.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/gate/against.hpp"
#include "ci/gate/gate.hpp"
#include "ci/measure/revision_build.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGateExamples =
    "Examples:\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results --against origin/main";

struct GateOptions {
  SuiteOptions suite;
  ComparisonOptions compare;
  fs::path out = "results";  // a folder
  // Instead of what compare.base says; the paths within are made of `out`.
  AgainstOptions against;
  bool with_revision = false;
  TimingScope scope = TimingScope::changed;
};

void add_scope(CLI::App& gate, TimingScope& scope) {
  CLI::Option* all = gate.add_flag_callback(
      "--all", [&scope] { scope = TimingScope::everything; },
      "Time everything, also what is the same by its machine code, launches, input and counters");
  gate.add_flag_callback(
          "--treat-as-changed", [&scope] { scope = TimingScope::everything_as_changed; },
          "Time everything and judge it as if its code had changed")
      ->excludes(all);
}

CLI::Option* add_against(CLI::App& gate, AgainstOptions& options) {
  CLI::Option* against = gate.add_option(
      "--against", options.revision,
      "Instead of baselines: a git revision, built in build/against in the checkout and measured "
      "in turns with the suite, on the same device");
  gate.add_option("--build", options.build,
                  "Shell command that builds the revision, run in its folder (default: cmake, "
                  "configured as the suite's build is)")
      ->needs(against);
  gate.add_option("--seed", options.seed,
                  "Of the order in which the processes of both sides take turns (default: another "
                  "each time; the report names it)")
      ->needs(against);
  return against;
}

// A gate that ends early must not leave an earlier one's verdict, or figures to approve, behind.
void remove_earlier(const std::vector<fs::path>& outputs) {
  for (const fs::path& earlier : outputs) {
    std::error_code error;
    fs::remove(earlier, error);
    if (!error) continue;
    throw Error(kExitNotMeasured,
                fmt::format("cannot replace {}: {}; choose another folder with --out",
                            earlier.string(), error.message()));
  }
}

GateVerdict gate_with_folder(const GateOptions& options, Effort effort, const Policy& policy) {
  const IdFilter wanted(options.compare.filter);
  const fs::path& out = options.compare.fresh;
  Measurement measurement(options.suite.run);
  Measuring measuring;
  measuring.has_clock = measurement.has_clock();
  if (measurement.has_sentinel() && options.scope == TimingScope::changed) {
    measuring.plan = [&](const Sides& seen) {
      return plan_with_folder(options.compare, policy, seen.after);
    };
    measuring.look = [&] { measurement.look(); };
    measuring.count_lines = [&](const std::set<std::string>& ids) { measurement.count_lines(ids); };
    measuring.leave_untimed = [&](const auto& reasons) { measurement.leave_untimed(reasons); };
  }
  measuring.observe_all = [&] { measurement.observe_all(); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    measurement.time_again(ids, processes);
  };
  measuring.measured = [&] {
    return Sides{std::nullopt, results_from(measurement.result(), out.string())};
  };
  measuring.keep = [&] { write_run(out, measurement.result()); };
  const std::string other = other_revision_here(measurement.source());
  return measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    GateVerdict verdict = compare_with_folder(options.compare, wanted, policy, measured);
    if (!other.empty()) verdict.notes.push_back(other);
    return verdict;
  });
}

GateVerdict gate_with_revision(const GateOptions& options, Effort effort, const Policy& policy) {
  try {
    return gate_against(options.against, options.suite.run, effort, policy,
                        options.compare.allowed);
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", log_text(error.last_lines()));
    throw;
  }
}

// Names the files of `out`, takes away earlier ones, and makes sure that they can be written.
void prepare_outputs(GateOptions& options) {
  ComparisonOptions& compare = options.compare;
  compare.fresh = options.out / "results.json";
  compare.summary = options.out / "summary.md";
  compare.json = options.out / "verdict.json";
  options.against.out = compare.fresh;
  options.against.out_revision = options.out / "against.json";
  std::vector<fs::path> outputs{compare.fresh, options.against.out_revision, *compare.summary,
                                *compare.json};
  for (const ReportRequest& request : compare.reports) {
    // What is no file of its own, such as /dev/stdout, is written to, not replaced.
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(request.out, error))) outputs.push_back(request.out);
  }
  remove_earlier(outputs);
  for (const fs::path& output : outputs) results::require_writable(output);
}

int gate(GateOptions options) {
  require_folder_name(options.out, "results.json, verdict.json and summary.md");
  options.compare.source_root = options.suite.run.source_root;
  options.suite.run.filter = options.compare.filter;
  options.against.scope = options.scope;
  options.compare.treat_as_changed = options.scope == TimingScope::everything_as_changed;
  const Policy policy = load_policy(options.compare.policy);
  prepare_outputs(options);
  const auto merge_base = merge_base_of(options.compare);
  const Effort effort = settle_effort(options.suite, policy);
  return deliver(options.with_revision ? gate_with_revision(options, effort, policy)
                                       : gate_with_folder(options, effort, policy),
                 options.compare, merge_base);
}

}  // namespace

void add_gate(CLI::App& program, Context& context) {
  CLI::App& command =
      *program.add_subcommand("gate", "Measures a suite and compares with its baseline");
  const auto options = std::make_shared<GateOptions>();
  ComparisonOptions& compare = options->compare;
  compare.program = context.program();
  compare.base = "baselines";
  add_suite_options(command, options->suite);
  add_filter(command, compare.filter);
  add_allowed(command, compare.allowed);
  CLI::Option* baselines =
      command.add_option("--baselines", compare.base, "Folder of baselines")->capture_default_str();
  CLI::Option* against = add_against(command, options->against)->excludes(baselines);
  command
      .add_option("--out", options->out,
                  "Folder for results.json, verdict.json and summary.md, and, with --against, "
                  "against.json")
      ->capture_default_str();
  add_scope(command, options->scope);
  add_merge_base(command, compare.merge_base);
  add_reports(command, compare.reports);
  add_colour(command, compare.colour);
  add_policy(command, compare.policy);
  add_explain(command, compare.explain);
  command.footer(with_statuses(kGateExamples, kVerdictStatuses));
  context.on_call(command, [options, against, &context] {
    options->with_revision = against->count() > 0;
    context.follow(options->suite.run);
    return gate(*options);
  });
}

}  // namespace warpgauge::ci
