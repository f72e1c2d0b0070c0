// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate`.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>
#include <sstream>
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
#include "profiling/results/limits.hpp"

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

// In the folder of a gate: the names of the reports that it wrote there, one a line.
constexpr const char* kReportNames = ".reports";

// Of an earlier gate with this folder. A name with a folder in it is not one that a gate wrote.
std::vector<fs::path> earlier_reports(const fs::path& out) {
  std::vector<fs::path> reports;
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(out / kReportNames, error))) return reports;
  std::istringstream names(results::read_file(out / kReportNames, results::kNamesLimit));
  for (std::string name; std::getline(names, name);) {
    const fs::path report(name);
    if (!name.empty() && report.filename() == report && name != "." && name != "..") {
      reports.push_back(out / report);
    }
  }
  return reports;
}

void remove_earlier(const fs::path& earlier) {
  // What is no file of its own, such as /dev/stdout, is written to, not replaced.
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(earlier, error))) return;
  if (fs::remove(earlier, error) || !error) return;
  throw Error(kExitNotMeasured,
              fmt::format("cannot replace {}: {}; choose another folder with --out",
                          earlier.string(), error.message()));
}

// Once new results are there, nothing that was said of earlier ones is left beside them; until then
// all of it stays.
void replace_earlier(const GateOptions& options) {
  std::vector<fs::path> earlier = earlier_reports(options.out);
  earlier.insert(earlier.end(), {*options.compare.json, *options.compare.summary,
                                 options.against.out_revision, options.out / kReportNames});
  for (const ReportRequest& request : options.compare.reports) earlier.push_back(request.out);
  for (const fs::path& each : earlier) remove_earlier(each);

  std::string names;
  const fs::path folder = fs::absolute(options.out).lexically_normal();
  for (const ReportRequest& request : options.compare.reports) {
    const fs::path report = fs::absolute(request.out).lexically_normal();
    if (report.parent_path() / "" == folder / "") names += report.filename().string() + "\n";
  }
  if (!names.empty()) results::write_file_atomically(options.out / kReportNames, names);
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
  measuring.keep = [&] {
    replace_earlier(options);
    write_run(out, measurement.result());
  };
  const std::string other = other_revision_here(measurement.source());
  return measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    GateVerdict verdict = compare_with_folder(options.compare, wanted, policy, measured);
    if (!other.empty()) verdict.notes.push_back(other);
    return verdict;
  });
}

GateVerdict gate_with_revision(const GateOptions& options, Effort effort, const Policy& policy) {
  AgainstOptions against = options.against;
  against.before_writing = [&] { replace_earlier(options); };
  // A filter may leave out whatever has a metric that the policy names.
  if (!options.compare.filter.empty()) against.known_metrics = stored_metrics(options.compare.base);
  try {
    return gate_against(against, options.suite.run, effort, policy, options.compare.allowed);
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", log_text(error.last_lines()));
    throw;
  }
}

// Names the files of `out`, and makes sure that they can be written.
void prepare_outputs(GateOptions& options) {
  ComparisonOptions& compare = options.compare;
  compare.fresh = options.out / "results.json";
  compare.summary = options.out / "summary.md";
  compare.json = options.out / "verdict.json";
  options.against.out = compare.fresh;
  options.against.out_revision = options.out / "against.json";
  for (const fs::path& output :
       {compare.fresh, options.against.out_revision, *compare.summary, *compare.json}) {
    results::require_writable(output);
  }
  for (const ReportRequest& request : compare.reports) {
    if (request.out != "/dev/stdout") results::require_writable(request.out);
  }
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
