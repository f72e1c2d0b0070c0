// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/comparison_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "ci/baselines/approve/code_baseline.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/import/import.hpp"
#include "ci/measure/shards.hpp"
#include "ci/report/explain_trace.hpp"
#include "ci/report/formats/markdown_report.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/report/quoted_sources.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/identity/kernels_of_one_name.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;

std::string why_no_baseline(const fs::path& folder, const results::Session& session) {
  const auto devices = devices_with_baseline(folder);
  return fmt::format("{} has no baseline for {} ({})", folder.string(), session.device.name,
                     devices.empty() ? "nor for any device"
                                     : fmt::format("only for {}", fmt::join(devices, ", ")));
}

// The names that a policy may use.
struct KnownNames {
  std::vector<std::string> ids;
  std::set<std::string> metrics;

  void add(const Results& results) {
    for (std::string& id : ids_of(results)) ids.push_back(std::move(id));
    metrics.merge(metric_names(results));
  }
};

// From the baselines of all devices: one device may run what another does not.
KnownNames stored_names(const fs::path& baselines) {
  KnownNames names;
  const auto devices = read_locked(baselines, [&] { return devices_with_baseline(baselines); });
  for (const std::string& device : devices) {
    const auto baseline = read_locked(baselines, [&] { return load_baseline(baselines, device); });
    if (baseline) names.add(to_results(*baseline));
  }
  return names;
}

// Nothing is idle where there is nothing to match.
bool is_idle(const IdFilter& wanted, const std::vector<std::string>& ids) {
  return !ids.empty() && std::none_of(ids.begin(), ids.end(),
                                      [&](const std::string& id) { return wanted.matches(id); });
}

// A name a line, as Google Benchmark lists them.
std::vector<std::string> listed_ids(const fs::path& path) {
  std::vector<std::string> ids;
  std::map<std::string, std::size_t> families;  // of each name
  std::istringstream lines(results::read_file(path, results::kAnswerLimit));
  for (std::string name; std::getline(lines, name);) {
    if (name.empty()) continue;
    const std::size_t place = families[name]++;
    ids.push_back(id_of_google_benchmark(name_in_family(name, place)));
  }
  return ids;
}

// Empty if there is none for the device: then no code is known to be unchanged.
std::optional<Results> baseline_at(const std::optional<MergeBase>& base,
                                   const std::string& device) {
  if (!base) return std::nullopt;
  const auto found = base->baselines.find(device);
  return found == base->baselines.end() ? Results() : to_results(found->second);
}

// The baselines by which code must be unchanged, too. Absent: only those of `base`.
std::optional<Results> identity_baseline(const ComparisonOptions& options,
                                         const std::optional<MergeBase>& merge_base,
                                         const std::string& device) {
  if (!options.identity_from) return baseline_at(merge_base, device);
  return read_baseline(*options.identity_from, device).value_or(Results());
}

Edits edits_since(const MergeBase& base, const ComparisonOptions& options,
                  const GateVerdict& verdict) {
  std::vector<std::string> ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) ids.push_back(benchmark.id);
  return edits_since(base, options.baselines.value_or(options.base),
                     options.policy.value_or(kProjectPolicy), std::move(ids), today());
}

// Returns the error if it is too large: the reports for people are written anyway. Removes an
// earlier file, which would be mistaken for it.
std::exception_ptr write_json(const fs::path& path, const GateVerdict& verdict) {
  std::string text;
  try {
    text = to_json_text(verdict);
  } catch (const Error&) {
    std::error_code absent;
    if (fs::is_regular_file(path, absent)) results::remove_file(path);
    return std::current_exception();
  }
  results::write_file_atomically(path, text);
  return nullptr;
}

// Of floors that would count for nothing.
void note_misspelt_devices(const Policy& policy, const fs::path& base, GateVerdict& verdict) {
  if (!verdict.after_session) return;
  const std::string device = verdict.after_session->device.key;
  std::vector<std::string> keys{device};
  if (verdict.before_session) keys.push_back(verdict.before_session->device.key);
  if (is_folder(base)) {
    const auto stored = read_locked(base, [&] { return devices_with_baseline(base); });
    keys.insert(keys.end(), stored.begin(), stored.end());
  }
  for (std::string& remark : floors_that_may_be_meant_for(device, policy, keys)) {
    verdict.notes.push_back(std::move(remark));
  }
}

}  // namespace

std::string approve_command_line(const ComparisonOptions& options, const std::string& how) {
  // With another policy, approve would take other metrics than were compared.
  const bool usual = !options.policy || *options.policy == kProjectPolicy;
  return fmt::format("{} approve {} --baselines {}{}{}{} --reason '{}'",
                     shell_word(options.program), shell_word(options.fresh.string()),
                     shell_word(options.base.string()),
                     usual ? "" : " --policy " + shell_word(options.policy->string()),
                     options.filter.empty() ? "" : " --filter " + shell_word(options.filter), how,
                     kReasonPlaceholder);
}

void add_allowed(CLI::App& command, std::set<Verdict>& allowed) {
  command
      .add_option_function<std::vector<std::string>>(
          "--allow",
          [&allowed](const std::vector<std::string>& names) {
            for (const std::string& name : names) {
              allowed.insert(name == "new" ? Verdict::added : Verdict::inconclusive);
            }
          },
          "Verdicts that also pass: new, inconclusive")
      ->delimiter(',')
      ->check(CLI::IsMember({"new", "inconclusive"}));
}

void add_explain(CLI::App& command, std::string& explain) {
  command.add_option("--explain", explain,
                     "Benchmark, or pattern of ids (* and ? match any characters). Shows the lines "
                     "of the policy and the figures behind each of its verdicts");
}

void add_merge_base(CLI::App& command, std::string& revision) {
  command
      .add_option("--merge-base", revision,
                  "Revision that the change will be merged into, such as origin/main. The report's "
                  "headline names each edit of baselines and policy since the merge base with HEAD")
      ->type_name("REVISION");
}

void add_reports(CLI::App& command, std::vector<ReportRequest>& reports) {
  command
      .add_option_function<std::vector<std::string>>(
          "--report",
          [&reports](const std::vector<std::string>& requests) {
            for (const std::string& request : requests) {
              const std::size_t equals = request.find('=');
              if (equals == request.npos || equals + 1 == request.size()) {
                throw CLI::ValidationError("--report", "'" + request + "' is not FORMAT=FILE");
              }
              const std::string format = request.substr(0, equals);
              (void)report_format(format);
              reports.push_back({format, request.substr(equals + 1)});
            }
          },
          "A report to write, as FORMAT=FILE, such as sarif=warpgauge.sarif; may be given more "
          "than once (see warpgauge report --help)")
      ->allow_extra_args(false);
}

bool is_folder(const fs::path& path) {
  return fs::is_directory(path) || (!fs::exists(path) && path.extension() != ".json");
}

bool has_all_benchmarks(const Results& results) {
  if (!results.session) return true;
  const results::Session& session = *results.session;
  return session.filter.empty() && !session.program &&
         session.device.kind != results::DeviceKind::machine_code;
}

std::vector<std::string> ids_of(const Results& results) {
  std::vector<std::string> ids;
  for (const auto& benchmark : results.benchmarks) ids.push_back(benchmark.id);
  return ids;
}

void refuse_unknown_patterns(const Policy& policy, std::vector<std::string> measured,
                             const fs::path& baselines) {
  if (idle_pattern(policy, measured).empty()) return;
  const KnownNames stored = stored_names(baselines);
  measured.insert(measured.end(), stored.ids.begin(), stored.ids.end());
  refuse_idle_patterns(policy, measured);
}

void keep_matching(Results& results, const IdFilter& wanted) {
  std::erase_if(results.benchmarks, [&](const results::BenchmarkResult& benchmark) {
    return !wanted.matches(benchmark.id);
  });
}

void refuse_idle_filter(const std::string& filter, const IdFilter& wanted,
                        const std::vector<std::string>& ids) {
  if (!is_idle(wanted, ids)) return;
  throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark{}; see warpgauge --help",
                                      filter, meant_by_filter(filter, ids)));
}

void check_before_measuring(const ComparisonOptions& options, const IdFilter& wanted) {
  const fs::path folder = options.baselines.value_or(options.base);
  std::vector<std::string> ids;
  if (is_folder(folder)) ids = stored_names(folder).ids;  // refuses what cannot be read
  if (options.filter.empty()) return;
  if (options.listed) {
    std::vector<std::string> listed = listed_ids(*options.listed);
    ids.insert(ids.end(), listed.begin(), listed.end());
    return refuse_idle_filter(options.filter, wanted, ids);
  }
  if (ids.empty() && !fs::is_regular_file(folder)) {
    fmt::print(stderr, "note: nothing is approved in {} yet, so --filter '{}' is not checked\n",
               one_line(folder.string()), one_line(options.filter));
  } else if (is_idle(wanted, ids)) {
    fmt::print(
        stderr, "note: --filter '{}' matches nothing in {}{}: only new benchmarks can match it\n",
        one_line(options.filter), one_line(folder.string()), meant_by_filter(options.filter, ids));
  }
}

TimingPlan plan_with_folder(const ComparisonOptions& options, const Policy& policy,
                            const std::optional<MergeBase>& merge_base, const Results& seen) {
  const std::string& device = seen.session->device.key;
  const auto baseline = read_baseline(options.base, device);
  return timing_plan(baseline ? &*baseline : nullptr, seen, policy,
                     {.treat_as_changed = options.treat_as_changed,
                      .merge_base = baseline_at(merge_base, device)});
}

GateVerdict compare_with_folder(const ComparisonOptions& options, const IdFilter& wanted,
                                const Policy& policy, const std::optional<MergeBase>& merge_base,
                                MeasuredSides measured) {
  Results& fresh = measured.all.after;
  refuse_shard(fresh);
  KnownNames known = stored_names(options.base);
  known.add(fresh);
  refuse_idle_filter(options.filter, wanted, known.ids);
  keep_matching(fresh, wanted);
  if (measured.again) keep_matching(measured.again->newest.after, wanted);
  if (!fresh.session) {
    throw Error(kExitNotMeasured,
                fmt::format("{} does not name its device; compare a plain Google Benchmark file "
                            "with another one, not with a folder of baselines",
                            fresh.name));
  }
  std::vector<std::string> notes;
  if (auto other = device_of_shared_code(options.base, fresh)) {
    notes.push_back(fmt::format(
        "{} is compared with {}, which was approved last of what shares an architecture with it",
        fresh.session->device.name, other->name));
    fresh.session->device = *std::move(other);
  }
  auto baseline = read_baseline(options.base, fresh.session->device.key);
  GateVerdict verdict;
  if (baseline) {
    std::vector<std::string> devices = devices_with_baseline(options.base);
    devices.push_back(fresh.session->device.key);
    refuse_idle_devices(policy, devices);
    if (options.filter.empty() && has_all_benchmarks(fresh)) {
      refuse_idle_patterns(policy, known.ids);
    } else if (options.filter.empty() &&
               fresh.session->device.kind == results::DeviceKind::machine_code) {
      // A policy may be for suites that such results know nothing about.
      std::string idle = idle_pattern(policy, known.ids);
      if (!idle.empty()) notes.push_back(std::move(idle));
    }
    const std::string revision = approved_revision(*baseline);
    keep_matching(*baseline, wanted);
    fresh = numbered_as_before(*baseline, std::move(fresh));
    verdict =
        judge(measured, &*baseline, policy,
              {.threshold = options.threshold,
               .treat_as_changed = options.treat_as_changed,
               .known_metrics = std::move(known.metrics),
               .merge_base = identity_baseline(options, merge_base, fresh.session->device.key),
               .is_filtered = !options.filter.empty()},
              options.allowed);
    verdict.approved_revision = revision;
    verdict.notes.insert(verdict.notes.end(), notes.begin(), notes.end());
  } else {
    verdict = without_baseline(why_no_baseline(options.base, *fresh.session), fresh, policy,
                               known.metrics, options.allowed);
  }
  verdict.approve_command = approve_command_line(options);
  return verdict;
}

std::set<std::string> stored_metrics(const fs::path& baselines) {
  return stored_names(baselines).metrics;
}

std::optional<MergeBase> merge_base_of(const ComparisonOptions& options) {
  if (options.identity_from && !is_folder(options.base)) {
    throw Error(
        kExitUsage,
        fmt::format("--identity-from: compares code with a folder of baselines, and {} is a file",
                    options.base.string()));
  }
  if (options.baselines && is_folder(options.base)) {
    throw Error(kExitUsage,
                fmt::format("--baselines: {} is a folder, and its own edits are named: leave that "
                            "out",
                            options.base.string()));
  }
  if (options.merge_base.empty()) return std::nullopt;
  const fs::path baselines = options.baselines.value_or(options.base);
  if (!is_folder(baselines)) {
    throw Error(kExitUsage,
                fmt::format("--merge-base: names edits of a folder of baselines, and {} is a file: "
                            "name the folder by --baselines",
                            baselines.string()));
  }
  return read_merge_base(options.merge_base, baselines, options.policy.value_or(kProjectPolicy));
}

int deliver(GateVerdict verdict, const ComparisonOptions& options, const Policy& policy,
            const std::optional<MergeBase>& base) {
  if (verdict.benchmarks.empty()) {
    throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark; see warpgauge --help",
                                        options.filter));
  }
  if (base) verdict.edits = edits_since(*base, options, verdict);
  note_misspelt_devices(policy, options.base, verdict);
  verdict.version = WARPGAUGE_VERSION;
  verdict.sources = sources_of(verdict, options.source_root);
  const std::exception_ptr not_written =
      options.json ? write_json(*options.json, verdict) : nullptr;
  if (options.summary) {
    results::write_file_atomically(*options.summary, markdown_report(verdict, options.links));
  }
  if (!options.explain.empty()) fmt::print("{}\n", log_text(derivations(verdict, options.explain)));
  for (const ReportRequest& request : options.reports) {
    const std::string text = report_format(request.format).render(verdict, options.links);
    if (request.out == "/dev/stdout") {
      // If it were opened a second time, what is printed afterwards would overwrite the file.
      fmt::print("{}", text);
    } else {
      results::write_file_atomically(request.out, text);
    }
  }
  const TerminalStyle style = style_of_standard_output(options.colour, options.verbose);
  fmt::print("{}",
             options.quiet ? terminal_outcome(verdict, style) : terminal_report(verdict, style));
  if (not_written) {
    (void)std::fflush(stdout);  // before the error
    std::rethrow_exception(not_written);
  }
  return verdict.exit_status;
}

}  // namespace warpgauge::ci
