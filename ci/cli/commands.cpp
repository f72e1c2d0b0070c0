// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/commands.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <string_view>
#include <system_error>
#include <utility>

#include "ci/baselines/approve.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/baselines/merge_base.hpp"
#include "ci/cli/culprit_text.hpp"
#include "ci/cli/metrics_table.hpp"
#include "ci/gate/calibrate.hpp"
#include "ci/gate/calibration_report.hpp"
#include "ci/gate/gate.hpp"
#include "ci/measure/interleaved.hpp"
#include "ci/measure/revision_build.hpp"
#include "ci/measure/shards.hpp"
#include "ci/measure/source.hpp"
#include "ci/measure/suite_process.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/emulator_accuracy.hpp"
#include "ci/report/explain_trace.hpp"
#include "ci/report/line_table_report.hpp"
#include "ci/report/markdown_report.hpp"
#include "ci/report/quoted_sources.hpp"
#include "ci/report/report.hpp"
#include "ci/report/results_table.hpp"
#include "ci/report/terminal.hpp"
#include "ci/support/atomic_directory.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/helper_query.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;

// A project's own policy is used without being asked for.
constexpr const char* kUsualPolicy = "ci/policy.toml";

// Made by profiling/cupti.
constexpr const char* kMetricsProgram = "warpgauge_metrics";

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

// What the report leaves to whoever approves.
constexpr const char* kReasonPlaceholder = "…";

std::string approve_command_line(const CompareOptions& options) {
  // By another policy, other metrics would be approved than were compared.
  const bool usual = !options.policy || *options.policy == kUsualPolicy;
  return fmt::format("{} approve {} --baselines {}{}{} --reason '{}'", shell_word(options.program),
                     shell_word(options.fresh.string()), shell_word(options.base.string()),
                     usual ? "" : " --policy " + shell_word(options.policy->string()),
                     options.filter.empty() ? "" : " --filter " + shell_word(options.filter),
                     kReasonPlaceholder);
}

// A reason that tells nothing is as good as none.
void check_reason(const std::string& reason) {
  const bool blank = reason.find_first_not_of(" \t\r\n") == reason.npos;
  if (!blank && reason != kReasonPlaceholder && reason != "...") return;
  throw Error(kExitUsage, fmt::format("--reason '{}': say why this becomes the baseline; whoever "
                                      "reviews the change reads it there",
                                      reason));
}

// Named `warpgauge`, not as it was called: it is kept in a page, for other machines.
std::string table_command_line(const TableCommandOptions& options) {
  const std::string references = fmt::format("{}", fmt::join(options.references, ","));
  const bool usual = options.references == TableOptions().references;
  return fmt::format("warpgauge table {}{} --into {}", shell_word(options.results.string()),
                     usual ? "" : " --reference " + shell_word(references),
                     shell_word(options.into->string()));
}

std::string agree_command_line(const AgreeCommandOptions& options) {
  return fmt::format("warpgauge agree {} {} --into {}", shell_word(options.emulated.string()),
                     shell_word(options.hardware.string()), shell_word(options.into->string()));
}

std::string calibrate_command_line(const CalibrateCommandOptions& options) {
  std::vector<std::string> words{"warpgauge", "calibrate"};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, shell_word(value)});
  };
  for (const fs::path& each : options.recorded) words.push_back(shell_word(each.string()));
  if (options.recorded.empty()) {
    add("--suite", options.run.suite.string());
    add("--processes", std::to_string(options.run.processes));
    if (options.run.hot) words.emplace_back("--hot");
  }
  if (options.slowed) add("--slowed", options.slowed->string());
  if (options.budget) add("--budget", std::to_string(*options.budget));
  add("--trials", std::to_string(options.trials));
  add("--seed", std::to_string(options.seed));
  if (options.policy) add("--policy", options.policy->string());
  add("--into", options.into->string());
  return fmt::format("{}", fmt::join(words, " "));
}

// Measures the suite, and in turns with it the slowed one, and puts the files in place of both.
void record(CalibrateCommandOptions& options) {
  options.recorded = {options.out / "recorded.json"};
  results::require_writable(options.recorded.front());
  if (!options.slowed) {
    results::write_file_atomically(options.recorded.front(), run(options.run).text);
    return;
  }
  RunOptions run_slowed = options.run;
  run_slowed.suite = *options.slowed;
  options.slowed = options.out / "slowed.json";
  Turns turns(options.run, "the suite", std::move(run_slowed), options.seed);
  turns.observe_all();
  results::write_file_atomically(options.recorded.front(), turns.before().text);
  results::write_file_atomically(*options.slowed, turns.after().text);
}

// Into the page that is named, or to standard output.
void show(const std::string& tables, const std::optional<fs::path>& into) {
  if (!into) {
    fmt::print("{}", tables);
    return;
  }
  const std::string page = results::read_file(*into);
  results::write_file_atomically(*into, with_tables(page, tables, into->string()));
}

void keep_matching(Results& results, const IdFilter& wanted) {
  std::erase_if(results.benchmarks, [&](const results::BenchmarkResult& benchmark) {
    return !wanted.matches(benchmark.id);
  });
}

std::string why_no_baseline(const fs::path& folder, const results::Session& session) {
  const auto devices = devices_with_baseline(folder);
  return fmt::format("{} has no baseline for {} ({})", folder.string(), session.device.name,
                     devices.empty() ? "nor for any device"
                                     : fmt::format("only for {}", fmt::join(devices, ", ")));
}

// Of these results and of the baselines of all devices: what one device runs another may not.
std::vector<std::string> known_ids(const fs::path& baselines, const Results& fresh) {
  std::vector<std::string> ids;
  const auto add = [&](const Results& results) {
    for (const auto& benchmark : results.benchmarks) ids.push_back(benchmark.id);
  };
  add(fresh);
  for (const std::string& device : devices_with_baseline(baselines)) {
    const FolderLock lock(baselines, FolderLock::Kind::shared);
    if (const auto baseline = load_baseline(baselines, device)) add(to_results(*baseline));
  }
  return ids;
}

GateVerdict compare_with_folder(const CompareOptions& options, const IdFilter& wanted,
                                const Policy& policy, Results fresh) {
  refuse_shard(fresh);
  keep_matching(fresh, wanted);
  if (!fresh.session) {
    throw Error(kExitNotMeasured,
                fmt::format("{} does not say on what device; compare a plain Google Benchmark file "
                            "with another one, not with a folder of baselines",
                            fresh.name));
  }
  auto baseline = read_baseline(options.base, fresh.session->device.key);
  GateVerdict verdict;
  if (baseline) {
    // Machine code is of kernels; the overrides speak of benchmarks.
    const bool of_benchmarks = fresh.session->device.kind != results::DeviceKind::machine_code;
    const bool of_all = options.filter.empty() && fresh.session->filter.empty();
    if (of_all && of_benchmarks) {
      refuse_idle_overrides(policy, known_ids(options.base, fresh));
    }
    keep_matching(*baseline, wanted);
    verdict = compare(*baseline, fresh, policy, options.threshold);
  } else {
    verdict = without_baseline(why_no_baseline(options.base, *fresh.session), fresh, policy);
  }
  verdict.approve_command = approve_command_line(options);
  return verdict;
}

GateVerdict compare_with_file(const CompareOptions& options, const IdFilter& wanted,
                              const Policy& policy) {
  auto reading = std::async(std::launch::async, results::read_results, options.base);
  Results fresh = results::read_results(options.fresh);
  Results base = reading.get();
  keep_matching(fresh, wanted);
  keep_matching(base, wanted);
  return compare(base, fresh, policy, options.threshold);
}

// A path that is not there is taken for a folder unless it looks like a file.
bool is_folder(const fs::path& path) {
  return fs::is_directory(path) || (!fs::exists(path) && path.extension() != ".json");
}

// Where people look, and unless they said that they want none: https://no-color.org.
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

// Before anything is measured: a revision that is not there is to be known at once.
std::optional<MergeBase> merge_base_of(const CompareOptions& options) {
  if (options.merge_base.empty()) return std::nullopt;
  if (!is_folder(options.base)) {
    throw Error(kExitUsage,
                fmt::format("--merge-base: edits are of a folder of baselines, and {} is a file",
                            options.base.string()));
  }
  return read_merge_base(options.merge_base, options.base, options.policy.value_or(kUsualPolicy));
}

Edits edits_since(const MergeBase& base, const CompareOptions& options,
                  const GateVerdict& verdict) {
  std::vector<std::string> ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) ids.push_back(benchmark.id);
  return edits_since(base, options.base, options.policy.value_or(kUsualPolicy), std::move(ids),
                     today());
}

int report(GateVerdict verdict, const CompareOptions& options,
           const std::optional<MergeBase>& base) {
  if (verdict.benchmarks.empty()) {
    throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark; see warpgauge --help",
                                        options.filter));
  }
  verdict.allowed = options.allowed;
  if (base) verdict.edits = edits_since(*base, options, verdict);
  verdict.version = WARPGAUGE_VERSION;
  verdict.exit_status = exit_status(verdict);
  verdict.sources = sources_of(verdict, options.source_root);
  if (options.json) results::write_file_atomically(*options.json, to_json_text(verdict));
  if (options.summary) {
    results::write_file_atomically(*options.summary, markdown_report(verdict));
  }
  if (!options.explain.empty()) fmt::print("{}\n", derivations(verdict, options.explain));
  for (const ReportRequest& request : options.reports) {
    const std::string text = report_format(request.format).render(verdict);
    if (request.out == "/dev/stdout") {
      // Opened anew, what is a file would be written over by what is printed afterwards.
      fmt::print("{}", text);
    } else {
      results::write_file_atomically(request.out, text);
    }
  }
  fmt::print("{}", terminal_report(verdict, in_colour(options.colour)));
  return verdict.exit_status;
}

int tell(const RunResult& result, const fs::path& out) {
  fmt::print("{}: {} measured, {} failed\n", out.string(),
             counted(result.benchmarks - result.failed, "benchmark"), result.failed);
  return result.failed == 0 ? kExitPass : kExitNotMeasured;
}

// By the name of run's --out, a folder would come to look like a results file.
void require_folder_name(const fs::path& out, const char* holds) {
  const bool is_folder_name = fs::exists(out) ? fs::is_directory(out) : out.extension() != ".json";
  if (is_folder_name) return;
  throw Error(kExitUsage,
              fmt::format("--out {}: is to be a folder, for {}; name one", out.string(), holds));
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
  Measurement measurement(options.run.run);
  Measuring measuring;
  measuring.has_clock = measurement.has_clock();
  measuring.observe_all = [&] { measurement.observe_all(); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    measurement.time_again(ids, processes);
  };
  measuring.kept = [&] {
    RunResult result = measurement.result();
    results::write_file_atomically(options.run.out, result.text);
    return Sides{std::nullopt,
                 results::parse_results(std::move(result.text), options.run.out.string())};
  };
  const std::string other = other_revision_here(measurement.source());
  return measure_and_judge(measuring, effort, [&](const Sides& sides) {
    GateVerdict verdict = compare_with_folder(options.compare, wanted, policy, sides.after);
    if (!other.empty()) verdict.notes.push_back(other);
    return verdict;
  });
}

GateVerdict against(const AgainstOptions& options, const RunOptions& run, Effort effort,
                    const Policy& policy) {
  try {
    return gate_against(options, run, effort, policy);
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", log_text(error.last_lines()));
    throw;
  }
}

}  // namespace

Policy load_policy(const std::optional<fs::path>& path) {
  if (path) return on_day(read_policy(*path), today());
  return on_day(fs::exists(kUsualPolicy) ? read_policy(kUsualPolicy) : built_in_policy(), today());
}

int compare_command(const CompareOptions& options) {
  const Policy policy = load_policy(options.policy);
  const IdFilter wanted(options.filter);
  const auto base = merge_base_of(options);
  return report(is_folder(options.base) ? compare_with_folder(options, wanted, policy,
                                                              results::read_results(options.fresh))
                                        : compare_with_file(options, wanted, policy),
                options, base);
}

int run_command(RunCommandOptions options) {
  const Policy policy = load_policy(options.policy);
  options.run.processes = options.processes.value_or(policy.processes);
  options.run.controls = policy.controls;
  results::require_writable(options.out);
  const RunResult result = run(options.run);
  results::write_file_atomically(options.out, result.text);
  return tell(result, options.out);
}

int static_command(const StaticCommandOptions& options) {
  results::require_writable(options.out);
  const RunResult result = static_results(options.options);
  results::write_file_atomically(options.out, result.text);
  return tell(result, options.out);
}

int gate_command(GateOptions options) {
  require_folder_name(options.out, "results.json, verdict.json and summary.md");
  const Policy policy = load_policy(options.run.policy);
  options.run.out = options.out / "results.json";
  options.compare.fresh = options.run.out;
  options.compare.policy = options.run.policy;
  options.compare.summary = options.out / "summary.md";
  options.compare.json = options.out / "verdict.json";
  options.compare.source_root = options.run.run.source_root;
  const fs::path other_side = options.out / "against.json";
  std::vector<fs::path> outputs{options.run.out, other_side, *options.compare.summary,
                                *options.compare.json};
  for (const ReportRequest& request : options.compare.reports) {
    // What is no file of its own, such as /dev/stdout, is written to, not replaced.
    std::error_code error;
    if (fs::is_regular_file(fs::symlink_status(request.out, error))) outputs.push_back(request.out);
  }
  remove_earlier(outputs);
  for (const fs::path& output : outputs) results::require_writable(output);
  const auto base = merge_base_of(options.compare);
  options.run.run.processes = options.run.processes.value_or(policy.processes);
  const Effort effort{.processes = options.run.run.processes,
                      .most_processes = options.run.processes.value_or(policy.most_processes)};
  if (!options.against)
    return report(gate_with_folder(options, effort, policy), options.compare, base);
  options.against->out = options.run.out;
  options.against->out_revision = other_side;
  return report(against(*options.against, options.run.run, effort, policy), options.compare, base);
}

int bisect_command(BisectCommandOptions options) {
  require_folder_name(options.bisect.out, "what each commit measured");
  const Policy policy = load_policy(options.policy);
  RunOptions& run = options.bisect.run;
  run.processes = options.processes.value_or(policy.processes);
  const Effort effort{.processes = run.processes,
                      .most_processes = options.processes.value_or(policy.most_processes)};
  if (options.step) {
    run.filter = *options.step;
    return bisect_step(options.bisect, effort, policy);
  }
  if (!options.benchmarks.empty()) run.filter = pattern_for(options.benchmarks);
  options.bisect.step_command = {fs::read_symlink("/proc/self/exe").string()};
  auto& step = options.bisect.step_command;
  step.insert(step.end(), options.arguments.begin(), options.arguments.end());
  step.insert(step.end(), {"--quiet", "--step"});
  Culprit culprit;
  try {
    culprit = bisect(options.bisect, effort, policy);
  } catch (const BuildError& error) {
    fmt::print(stderr, "{}", log_text(error.last_lines()));
    throw;
  }
  fmt::print("{}\n", terminal_report(culprit.verdict, in_colour(options.colour)));
  fmt::print("{}", culprit_text(culprit));
  return culprit.shas.size() == 1 ? kExitPass : kExitNoVerdict;
}

int report_command(const ReportOptions& options) {
  const GateVerdict verdict = read_verdict(options.verdict);
  const bool on_terminal = options.format == "terminal" && !options.out;
  const bool coloured =
      options.format == "terminal" &&
      (on_terminal ? in_colour(options.colour) : options.colour == Colour::always);
  const std::string text =
      coloured ? terminal_report(verdict, true) : report_format(options.format).render(verdict);
  if (options.out) {
    results::write_file_atomically(*options.out, text);
  } else {
    fmt::print("{}", text);
  }
  return kExitPass;
}

int approve_command(const ApproveOptions& options) {
  check_reason(options.reason);
  const Policy policy = load_policy(options.policy);
  ApprovalRequest request;
  for (const fs::path& path : options.results) {
    request.sessions.push_back(results::read_results(path));
  }
  request.filter = options.filter;
  request.remove = options.remove;
  request.new_environment = options.new_environment;
  request.by = current_author();
  request.reason = options.reason;
  request.now = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  const Approval approval = approve(request, options.baselines, policy);
  fmt::print("{}", options.json ? json_text(approval_json(approval)) : approval_text(approval));
  return kExitPass;
}

int table_command(const TableCommandOptions& options) {
  const Results results = results::read_results(options.results);
  TableOptions table;
  table.references = options.references;
  if (options.json) {
    fmt::print("{}", json_text(table_json(results, table)));
    return kExitPass;
  }
  if (options.into) table.command = table_command_line(options);
  show(markdown_tables(results, table), options.into);
  return kExitPass;
}

int agree_command(const AgreeCommandOptions& options) {
  const Results emulated = results::read_results(options.emulated);
  const Results hardware = results::read_results(options.hardware);
  if (options.json) {
    fmt::print("{}", json_text(agreement_json(emulated, hardware)));
    return kExitPass;
  }
  AgreementOptions agreement;
  if (options.into) agreement.command = agree_command_line(options);
  show(agreement_tables(emulated, hardware, agreement), options.into);
  return kExitPass;
}

int calibrate_command(CalibrateCommandOptions options) {
  require_folder_name(options.out, "recorded.json and slowed.json");
  const Policy policy = load_policy(options.policy);
  const std::string command = options.into ? calibrate_command_line(options) : "";
  if (options.recorded.empty() && options.run.suite.empty()) {
    throw Error(kExitUsage,
                "give a suite to measure (--suite), or results files of several sessions; see "
                "warpgauge calibrate --help");
  }
  if (options.recorded.empty()) record(options);
  std::vector<Results> sessions;
  for (const fs::path& path : options.recorded) sessions.push_back(results::read_results(path));
  std::optional<Results> slowed;
  if (options.slowed) slowed = results::read_results(*options.slowed);
  CalibrationOptions calibration;
  calibration.effort = {.processes = options.budget.value_or(policy.processes),
                        .most_processes = options.budget.value_or(policy.most_processes)};
  calibration.trials = options.trials;
  calibration.seed = options.seed;
  const Calibration found = calibrate(sessions, slowed, policy, calibration);
  if (options.json) results::write_file_atomically(*options.json, calibration_json(found));
  show(calibration_tables(found, command), options.into);
  return kExitPass;
}

int lines_command(const LinesCommandOptions& options) {
  Results results = results::read_results(options.results);
  keep_matching(results, IdFilter(options.filter));
  if (results.benchmarks.empty()) {
    throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark of {}", options.filter,
                                        results.name));
  }
  fmt::print("{}", options.json ? json_text(lines_json(results)) : line_tables(results));
  return kExitPass;
}

int profile_command(const ProfileCommandOptions& options) {
  const ProfileOptions& profile = options.profile;
  const SuiteDescription suite = Suite(profile.suite, kQuestionTimeout, profile.sizes).describe();
  if (suite.backend != "gpu") {
    throw Error(kExitUsage, fmt::format("{} is for the {} device, which has no profilers; give the "
                                        "suite for GPUs",
                                        profile.suite.string(), suite.backend));
  }
  if (std::find(suite.ids.begin(), suite.ids.end(), profile.id) == suite.ids.end()) {
    throw Error(kExitUsage,
                fmt::format("{} has no benchmark {}; list them with --benchmark_list_tests",
                            profile.suite.string(), profile.id));
  }
  const auto line = profile_command_line(profile);
  if (options.run) become(line);
  std::vector<std::string> words;
  words.reserve(line.size());
  for (const std::string& each : line) words.push_back(shell_word(each));
  fmt::print("{}\n", fmt::join(words, " "));
  return kExitPass;
}

int metrics_command(const MetricsCommandOptions& options) {
  if (options.chip.empty() && !options.text.empty()) {
    throw Error(kExitUsage,
                "metrics differ from chip to chip: name one with --chip, as `warpgauge metrics` "
                "lists them");
  }
  const fs::path program = options.program.value_or(
      fs::read_symlink("/proc/self/exe").replace_filename(kMetricsProgram));
  if (!fs::is_regular_file(program)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no {}, which asks CUPTI: build it where there is nvcc (cmake "
                            "--preset cuda, target {}), or give its path with --program",
                            program.string(), kMetricsProgram));
  }
  std::vector<std::string> arguments;
  if (!options.chip.empty()) arguments = {options.chip, options.text};
  const results::Json answer = ask(fs::absolute(program), arguments, kQuestionTimeout,
                                   fmt::format("is it {}?", kMetricsProgram));
  if (options.json) {
    fmt::print("{}", json_text(answer));
    return kExitPass;
  }
  try {
    if (answer.contains("metrics") && answer["metrics"].empty()) {
      throw Error(kExitUsage, fmt::format("no metric of {} has '{}' in its name or description",
                                          options.chip, options.text));
    }
    fmt::print("{}", metrics_table(answer));
  } catch (const results::Json::exception& error) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}; is it of the same version?",
                                              program.string(), one_line(error.what())));
  }
  return kExitPass;
}

}  // namespace warpgauge::ci
