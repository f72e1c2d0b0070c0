// SPDX-License-Identifier: Apache-2.0
// `warpgauge gate`.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/baselines/folder_watch.hpp"
#include "ci/cli/commands/gate/gate_files.hpp"
#include "ci/cli/comparison_options.hpp"
#include "ci/cli/named_baselines.hpp"
#include "ci/cli/program_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/gate/against.hpp"
#include "ci/gate/calibrate/proposed_floors.hpp"
#include "ci/gate/gate.hpp"
#include "ci/gate/prebuilt.hpp"
#include "ci/gate/since_anchor.hpp"
#include "ci/measure/revision/revision_build.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGateExamples =
    "Examples:\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results\n"
    "  warpgauge gate --suite build/ci/bin/suite_emulated --out results --against origin/main\n"
    "  warpgauge gate --suite build/ci/bin/suite_gpu --against-build build/other-nvcc\n"
    "  warpgauge gate --suite build/ci/bin/suite_gpu --since-anchor\n"
    "  warpgauge gate --baselines baselines/bench -- python3 bench.py";

// Beside the results of a gate, which may await approval.
constexpr const char* kSinceAnchorOut = "results/since-anchor";

struct GateOptions {
  SuiteOptions suite;
  ComparisonOptions compare;
  fs::path out = "results";  // a folder
  // Replaces compare.base; its paths are derived from `out`.
  AgainstOptions against;
  bool with_revision = false;
  bool with_build = false;
  bool since_anchor = false;
  bool names_baselines = false;
  // A build of what was approved; empty: none.
  fs::path prebuilt;
  std::optional<std::uint64_t> seed;
  ProgramCommand program;
  TimingScope scope = TimingScope::changed;
};

void add_scope(CLI::App& gate, TimingScope& scope) {
  CLI::Option* all = gate.add_flag_callback(
      "--all", [&scope] { scope = TimingScope::everything; },
      "Times everything, including benchmarks whose machine code, launches, input and counters are "
      "unchanged");
  gate.add_flag_callback(
          "--treat-as-changed", [&scope] { scope = TimingScope::everything_as_changed; },
          "Times everything, and judges it as if its code had changed")
      ->excludes(all);
}

CLI::Option* add_against(CLI::App& gate, AgainstOptions& options) {
  CLI::Option* against =
      gate.add_option("--against", options.revision,
                      "Compares with a git revision instead of baselines. Builds it in "
                      "build/against, and measures both in turns on the same device");
  gate.add_option("--build", options.build,
                  "Shell command that builds the revision, in its folder (default: cmake, "
                  "configured like the suite's build)");
  return against;
}

CLI::Option* add_against_build(CLI::App& gate, AgainstOptions& options) {
  return gate
      .add_option("--against-build", options.other_build,
                  "Compares with another build of the suite instead of baselines: its folder, or "
                  "the executable. Measures both in turns. Compiler, toolkit and flags may differ")
      ->type_name("BUILD");
}

CLI::Option* add_turns(CLI::App& gate, CLI::Option& against, GateOptions& options) {
  gate.add_option("--seed", options.seed,
                  "Seed of the order in which the processes of both sides take turns (default: a "
                  "new one each time, which the report names)");
  return gate
      .add_option("--against-prebuilt", options.prebuilt,
                  "A build of what was approved: its folder, an unpacked bundle or the suite's "
                  "executable. Measures in turns with it what the baselines leave open. It decides "
                  "only if its machine code is the approved one")
      ->type_name("BUILD")
      ->excludes(&against);
}

void check_turns(const GateOptions& options) {
  const bool builds = options.with_revision || options.since_anchor;
  if (!options.against.build.empty() && !builds) {
    throw Error(kExitUsage,
                "--build builds another revision: give --against or --since-anchor with it");
  }
  if (!options.seed || builds || options.with_build || !options.prebuilt.empty()) return;
  throw Error(kExitUsage,
              "--seed orders processes that take turns: give --against, --against-build, "
              "--since-anchor or --against-prebuilt with it");
}

// Writes floors for a device that has neither a baseline nor floors, and lets the command that
// approves add them: without them the same code may not pass. Returns a note; empty: no need.
std::string calibrate_new_device(const GateOptions& options, const Policy& policy, Effort effort,
                                 const Measuring& measuring, GateVerdict& verdict) {
  if (!measuring.has_clock || verdict.no_baseline.empty()) return {};
  if (!options.compare.filter.empty()) return {};  // the others' noise is not known
  const results::Results measured = measuring.measured().after;
  try {
    const auto floors = floors_of_new_device(measured, policy, effort);
    if (floors.empty()) return {};
    const fs::path out = options.out / kFloors;
    results::write_file_atomically(out, floors_toml(floors));
    const std::string command = floors_command(policy, out);
    if (!command.empty()) verdict.approve_command = command + " && " + verdict.approve_command;
    return fmt::format("no floors of {} yet: those that this run needs are in {}; {}",
                       measured.session->device.name, out.string(),
                       how_to_take_floors(policy, out, options.compare.fresh));
  } catch (const Error& error) {
    return fmt::format("no floors of {} yet, and none could be calibrated: {}",
                       measured.session->device.name, error.what());
  }
}

GateVerdict gate_with_folder(const GateOptions& options, Effort effort, const Policy& policy,
                             const std::optional<MergeBase>& merge_base, GateFolder& folder) {
  const IdFilter wanted(options.compare.filter);
  const FolderWatch baselines(options.compare.base);
  const fs::path& out = options.compare.fresh;
  std::optional<Prebuilt> prebuilt;
  if (!options.prebuilt.empty()) {
    prebuilt.emplace(PrebuiltOptions{options.prebuilt, options.seed, options.out / kInTurns,
                                     options.against.out_revision},
                     options.suite.run);
  }
  Measurement measurement(options.suite.run);
  Measuring measuring;
  measuring.has_clock = measurement.has_clock();
  if (measurement.has_sentinel() && options.scope == TimingScope::changed) {
    measuring.plan = [&](const Sides& seen) {
      return plan_with_folder(options.compare, policy, merge_base, seen.after);
    };
    measuring.look = [&] { measurement.look(); };
    measuring.count_lines = [&](const std::set<std::string>& ids) { measurement.count_lines(ids); };
    measuring.leave_untimed = [&](const auto& reasons) { measurement.leave_untimed(reasons); };
  }
  measuring.observe_all = [&] { measurement.observe_all(); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    measurement.time_again(ids, processes);
  };
  if (prebuilt) measuring.take_turns = [&] { return prebuilt->begin(measurement); };
  measuring.measured = [&] {
    return Sides{std::nullopt, results_from(measurement.result(), out.string())};
  };
  std::string in_turns;
  measuring.keep = [&] {
    results::NewFiles files;
    files.add(out, to_json_text(measurement.result()));
    if (prebuilt) in_turns = prebuilt->keep(files);
    folder.replace(files);
  };
  const std::string other = other_revision_here(measurement.source());
  GateVerdict verdict = measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    return compare_with_folder(options.compare, wanted, policy, merge_base, measured);
  });
  baselines.require_unchanged(out);
  const std::string floors = calibrate_new_device(options, policy, effort, measuring, verdict);
  for (const std::string& note : {other, in_turns, floors}) {
    if (!note.empty()) verdict.notes.push_back(note);
  }
  return verdict;
}

GateVerdict gate_with_program(const GateOptions& options, Effort effort, const Policy& policy,
                              const std::optional<MergeBase>& merge_base, GateFolder& folder) {
  const FolderWatch baselines(options.compare.base);
  ProgramMeasurement measurement(program_options(options.program, options.suite, policy));
  if (!options.suite.processes) effort.early = early_look(effort.processes);
  Measuring measuring;
  measuring.has_clock = true;
  measuring.observe_all = [&] { measurement.observe(effort.at_once()); };
  measuring.time_again = [&](const auto&, int processes) { measurement.observe(processes); };
  measuring.measured = [&] {
    return Sides{std::nullopt, results_from(measurement.result(), options.compare.fresh.string())};
  };
  measuring.keep = [&] {
    results::NewFiles files;
    files.add(options.compare.fresh, to_json_text(measurement.result()));
    folder.replace(files);
  };
  GateVerdict verdict = measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    const IdFilter wanted(options.compare.filter);
    return compare_with_folder(options.compare, wanted, policy, merge_base, measured);
  });
  baselines.require_unchanged(options.compare.fresh);
  const std::string floors = calibrate_new_device(options, policy, effort, measuring, verdict);
  if (!floors.empty()) verdict.notes.push_back(floors);
  return verdict;
}

void print_last_lines(const BuildError& error) {
  fmt::print(stderr, "{}", log_text(error.last_lines()));
}

// With a revision or another build.
GateVerdict gate_in_turns(const GateOptions& options, Effort effort, const Policy& policy,
                          GateFolder& folder) {
  AgainstOptions against = options.against;
  against.replace = [&](results::NewFiles& files) { folder.replace(files); };
  against.carry_command = approve_command_line(
      options.compare, " --new-environment --beside " + shell_word(against.out_revision.string()));
  // A filter may leave out whatever has a metric that the policy names.
  if (!options.compare.filter.empty()) against.known_metrics = stored_metrics(options.compare.base);
  try {
    GateVerdict verdict = (options.with_build ? gate_against_build : gate_against)(
        against, options.suite.run, effort, policy, options.compare.allowed);
    if (options.compare.filter.empty()) {
      std::vector<std::string> ids;
      for (const BenchmarkVerdict& each : verdict.benchmarks) ids.push_back(each.id);
      refuse_unknown_patterns(policy, std::move(ids), options.compare.base);
    }
    return verdict;
  } catch (const BuildError& error) {
    print_last_lines(error);
    throw;
  }
}

GateVerdict gate_with_anchors(const GateOptions& options, Effort effort, const Policy& policy,
                              GateFolder& folder) {
  SinceAnchorOptions since;
  since.baselines = options.compare.base;
  since.build = options.against.build;
  since.seed = options.against.seed;
  since.scope = options.scope;
  since.out = options.out;
  since.build_failed = print_last_lines;
  since.replace = [&](results::NewFiles& files) { folder.replace(files); };
  return gate_since_anchor(since, options.suite.run, effort, policy, options.compare.allowed);
}

// Names the files of `out`, and makes sure that they can be written.
void prepare_outputs(GateOptions& options) {
  ComparisonOptions& compare = options.compare;
  compare.fresh = options.out / "results.json";
  compare.summary = options.out / "summary.md";
  compare.json = options.out / "verdict.json";
  options.against.out = compare.fresh;
  options.against.out_revision = options.out / "against.json";
  for (const fs::path& output : {compare.fresh, options.against.out_revision,
                                 options.out / kInTurns, *compare.summary, *compare.json}) {
    results::require_writable(output);
  }
  for (const ReportRequest& request : compare.reports) {
    if (request.out != "/dev/stdout") results::require_writable(request.out);
  }
}

GateVerdict verdict_of(GateOptions& options, const Policy& policy,
                       const std::optional<MergeBase>& merge_base, GateFolder& folder) {
  // With a misspelt folder all benchmarks would be new, after all the measuring. Each program has a
  // folder of its own, which its first gate does not find: not for these.
  if (options.names_baselines && !options.program.given()) {
    refuse_misspelt_baselines(options.compare.base);
  }
  const Effort effort = settle_effort(options.suite, policy);
  if (options.since_anchor) return gate_with_anchors(options, effort, policy, folder);
  if (options.program.given()) {
    return gate_with_program(options, effort, policy, merge_base, folder);
  }
  const bool in_turns = options.with_revision || options.with_build;
  return in_turns ? gate_in_turns(options, effort, policy, folder)
                  : gate_with_folder(options, effort, policy, merge_base, folder);
}

// Once the options are read, nothing that this leaves in the folder is of an earlier gate, whatever
// ends it.
int gate(GateOptions options) {
  require_folder_name(options.out, "results.json, verdict.json and summary.md");
  options.compare.source_root = options.suite.run.source_root;
  options.suite.run.filter = options.compare.filter;
  options.against.scope = options.scope;
  options.against.seed = options.seed;
  check_turns(options);
  options.compare.treat_as_changed = options.scope == TimingScope::everything_as_changed;
  prepare_outputs(options);
  GateFolder folder(options.out, options.compare.reports);
  try {
    folder.set_earlier_aside();
    const Policy policy = load_policy(options.compare.policy, options.compare.base);
    const auto merge_base = merge_base_of(options.compare);
    GateVerdict verdict = verdict_of(options, policy, merge_base, folder);
    return deliver(std::move(verdict), options.compare, policy, merge_base);
  } catch (...) {
    if (const fs::path earlier = folder.earlier_results(); !earlier.empty()) {
      fmt::print(stderr, "{}",
                 log_text(fmt::format("this gate has no results; those of an earlier one "
                                      "are in {}\n",
                                      earlier.string())));
    }
    throw;
  }
}

}  // namespace

void add_gate(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "gate", "Measures a suite, or any program, and compares with its baseline");
  const auto options = std::make_shared<GateOptions>();
  ComparisonOptions& compare = options->compare;
  compare.program = context.program();
  compare.base = kProjectBaselines;
  add_suite_options(command, options->suite);
  add_program(command, options->program);
  add_filter(command, compare.filter);
  add_allowed(command, compare.allowed);
  CLI::Option* baselines = command.add_option("--baselines", compare.base, "Folder of baselines")
                               ->type_name("FOLDER")
                               ->capture_default_str();
  CLI::Option* against = add_against(command, options->against)->excludes(baselines);
  CLI::Option* against_build =
      add_against_build(command, options->against)->excludes(baselines)->excludes(against);
  const CLI::Option* out =
      command
          .add_option("--out", options->out,
                      "Folder for results.json, verdict.json and summary.md; if two sides took "
                      "turns, also against.json, and with --against-prebuilt in_turns.json; on a "
                      "device without baseline and floors also floors.toml. With --since-anchor "
                      "(default: results/since-anchor) since-SHA.json and anchor-SHA.json for each "
                      "anchor in place of results.json and against.json")
          ->capture_default_str();
  CLI::Option* prebuilt = add_turns(command, *against, *options)->excludes(against_build);
  command
      .add_flag("--since-anchor", options->since_anchor,
                "Compares with the anchors of the baselines instead of their figures. Builds them "
                "like the revision of --against, measures in turns, and judges by the policy's "
                "creep_limit how much time was lost since")
      ->excludes(against)
      ->excludes(against_build)
      ->excludes(prebuilt);
  add_scope(command, options->scope);
  add_merge_base(command, compare.merge_base);
  add_reports(command, compare.reports);
  add_colour(command, compare.colour);
  add_links(command, compare.links);
  add_policy(command, compare.policy);
  add_explain(command, compare.explain);
  command.footer(with_statuses(kGateExamples, kVerdictStatuses));
  context.on_call(command, [options, baselines, against, against_build, out, &command, &context] {
    check_program(command, options->program);
    const bool with_baselines = against->count() + against_build->count() == 0;
    if (with_baselines) require_named_baselines(command, options->compare.base);
    options->compare.verbose = context.verbose;
    options->names_baselines = baselines->count() > 0;
    options->with_revision = against->count() > 0;
    options->with_build = against_build->count() > 0;
    if (options->since_anchor && out->count() == 0) options->out = kSinceAnchorOut;
    options->compare.quiet = context.quiet;
    context.follow(options->suite.run);
    return gate(*options);
  });
}

}  // namespace warpgauge::ci
