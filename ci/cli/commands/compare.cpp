// SPDX-License-Identifier: Apache-2.0
// `warpgauge compare`.
#include <fmt/format.h>

#include <future>
#include <memory>
#include <utility>

#include "ci/baselines/baseline.hpp"
#include "ci/cli/comparison_options.hpp"
#include "ci/cli/named_baselines.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/statistics/looks.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/identity/kernels_of_one_name.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "ci/verdict/text/since_approval.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  warpgauge compare baselines results.json\n"
    "  warpgauge compare before.json after.json --allow new\n"
    "  warpgauge compare once.json again.json --threshold 5\n"
    "  warpgauge compare baselines results.json --explain 'transpose/*'";

// Where both are sides of turns, but not A before B of the same. Empty: there is nothing to say.
std::string note_on_turns(const results::Results& base, const results::Results& fresh) {
  if (!base.session || !fresh.session) return "";
  const std::string& before = base.session->turns;
  const std::string& after = fresh.session->turns;
  if (before.empty() || after.empty()) return "";
  if (!are_in_turns(*base.session, *fresh.session)) {
    return fmt::format(
        "{} and {} did not run in turns with each other, but as '{}' and '{}': they are judged as "
        "sessions apart",
        base.name, fresh.name, before, after);
  }
  if (before.starts_with('A')) return "";
  return fmt::format(
      "{0} is side B of its turns and {1} side A: they are compared in the order given, as if {0} "
      "were the one before",
      base.name, fresh.name);
}

// What turns cannot show. Empty: there is nothing to say.
std::string note_on_baselines(const GateVerdict& turns, const results::Results& fresh,
                              const ComparisonOptions& options, const IdFilter& wanted,
                              const Policy& policy) {
  auto baseline = read_baseline(*options.baselines, fresh.session->device.key);
  if (!baseline) return "";
  const std::string revision = approved_revision(*baseline);
  keep_matching(*baseline, wanted);
  GateVerdict stored = compare(*baseline, numbered_as_before(*baseline, fresh), policy,
                               {.known_metrics = metric_names(*baseline),
                                .is_filtered = !options.filter.empty(),
                                .compares_builds = true});
  stored.approved_revision = revision;
  return note_on_what_sides_share(turns, stored);
}

GateVerdict compare_with_file(const ComparisonOptions& options, const IdFilter& wanted,
                              const Policy& policy) {
  auto reading = std::async(std::launch::async, read_dated_results, options.base);
  results::Results fresh = read_dated_results(options.fresh);
  results::Results base = reading.get();
  const bool in_turns =
      base.session && fresh.session && are_in_turns(*base.session, *fresh.session);
  ComparisonTerms terms{.design = in_turns ? Design::interleaved : Design::apart,
                        .threshold = options.threshold,
                        .is_filtered = !options.filter.empty(),
                        .compares_builds = in_turns};
  std::vector<std::string> ids;
  bool of_all = options.filter.empty();
  for (results::Results* side : {&base, &fresh}) {
    terms.known_metrics.merge(metric_names(*side));
    for (std::string& id : ids_of(*side)) ids.push_back(std::move(id));
    of_all = of_all && has_all_benchmarks(*side);
    keep_matching(*side, wanted);
  }
  refuse_idle_filter(options.filter, wanted, ids);
  if (of_all) refuse_unknown_patterns(policy, std::move(ids), kProjectBaselines);
  fresh = numbered_as_before(base, std::move(fresh));
  GateVerdict verdict = compare(base, fresh, policy, terms, options.allowed);
  std::string note = note_on_turns(base, fresh);
  if (note.empty() && in_turns && options.baselines) {
    note = note_on_baselines(verdict, fresh, options, wanted, policy);
  }
  if (!note.empty()) verdict.notes.push_back(std::move(note));
  return verdict;
}

// With its share of the chances of an error.
Policy for_one_look(Policy policy, int looks) {
  const LookShares shares = look_shares(looks, false);
  policy.alpha *= shares.of_each;
  policy.beta *= shares.beta_of_each;
  return policy;
}

int compare_results(const ComparisonOptions& options) {
  const Policy policy =
      for_one_look(is_folder(options.base) ? load_policy(options.policy, options.base)
                                           : load_policy(options.policy),
                   options.looks);
  const IdFilter wanted(options.filter);
  const auto merge_base = merge_base_of(options);
  if (options.check) {
    check_before_measuring(options, wanted);
    return print("The options are fine. Nothing was compared.\n");
  }
  if (!is_folder(options.base)) {
    return deliver(compare_with_file(options, wanted, policy), options, policy, merge_base);
  }
  MeasuredSides measured;
  measured.all.after = read_dated_results(options.fresh);
  const auto& session = measured.all.after.session;
  measured.more_may_follow = session && session->processes < policy.most_processes;
  return deliver(compare_with_folder(options, wanted, policy, merge_base, std::move(measured)),
                 options, policy, merge_base);
}

void add_check(CLI::App& command, ComparisonOptions& options) {
  CLI::Option* const check = command.add_flag(
      "--check", options.check,
      "Only checks the options, the policy and the revision, before there are results");
  command
      .add_option("--listed", options.listed,
                  "For --check: file with the name of each benchmark that can be measured, a line "
                  "each, as --benchmark_list_tests prints them. A filter that matches none of them "
                  "and nothing in the baselines is refused")
      ->type_name("FILE")
      ->needs(check);
}

}  // namespace

void add_compare(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("compare", "Compares results with a baseline");
  const auto options = std::make_shared<ComparisonOptions>();
  options->program = context.program();
  command
      .add_option("BASE", options->base,
                  "Folder of baselines, results file or plain Google Benchmark JSON")
      ->required();
  command.add_option("NEW", options->fresh, "Results file or plain Google Benchmark JSON")
      ->required();
  add_filter(command, options->filter);
  add_allowed(command, options->allowed);
  add_policy(command, options->policy);
  add_explain(command, options->explain);
  command
      .add_option_function<double>(
          "--threshold", [options](double percent) { options->threshold = percent / 100; },
          "By how many per cent a time may differ if each side has only one figure, without "
          "statistics (default: inconclusive)")
      ->type_name("PERCENT")
      ->check(number_between(0.001, 1000));
  command
      .add_option("--looks", options->looks,
                  "How often results may be compared, each time with more processes, until nothing "
                  "is inconclusive: each look has that share of the policy's alpha and beta")
      ->check(whole_number_between(1, 20))
      ->capture_default_str();
  add_check(command, *options);
  command.add_option("--summary", options->summary, "Markdown file to write")->type_name("FILE");
  command.add_option("--json", options->json, "File for the whole verdict, for other programs")
      ->type_name("FILE");
  add_source_root(command, options->source_root);
  add_merge_base(command, options->merge_base);
  command
      .add_option(
          "--baselines", options->baselines,
          "Where BASE is a file: the folder of baselines whose edits --merge-base names, whose "
          "benchmarks --check knows, and against which both sides of turns may be slower")
      ->type_name("FOLDER");
  command
      .add_option(
          "--identity-from", options->identity_from,
          "Folder with the baselines of the commit that the change branched off from. Code counts "
          "as unchanged only if these say so too. Like --merge-base, but without git")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory)
      ->excludes("--merge-base");
  add_reports(command, options->reports);
  add_colour(command, options->colour);
  add_links(command, options->links);
  command.footer(with_statuses(kCompareExamples, kVerdictStatuses));
  context.on_call(command, [options, &context] {
    require_baselines_in(options->base);
    options->quiet = context.quiet;
    options->verbose = context.verbose;
    return compare_results(*options);
  });
}

}  // namespace warpgauge::ci
