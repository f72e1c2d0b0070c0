// SPDX-License-Identifier: Apache-2.0
// `warpgauge policy`: check, list and show.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/comparison_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/policy/policy_check.hpp"
#include "ci/policy/profiles.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPolicyExamples =
    "Examples:\n"
    "  warpgauge policy list\n"
    "  warpgauge policy show program >ci/policy.toml\n"
    "  warpgauge policy check\n"
    "  warpgauge policy check new.toml --results results/results.json";
constexpr const char* kCheckExamples =
    "Examples:\n"
    "  warpgauge policy check\n"
    "  warpgauge policy check new.toml --results results/results.json";
constexpr const char* kCheckStatuses =
    "Exit status:\n"
    "   0  no mistakes\n"
    "   4  a mistake, a name that nothing has, or a file that cannot be read\n"
    "  64  wrong usage";

struct PolicyOptions {
  fs::path file = kProjectPolicy;
  std::vector<fs::path> results;
  std::optional<fs::path> baselines;
  std::string profile;
};

void add(const results::Results& results, KnownBenchmarks& known) {
  for (std::string& id : ids_of(results)) known.ids.push_back(std::move(id));
  known.metrics.merge(metric_names(results));
  if (results.session) known.devices.push_back(results.session->device.key);
}

KnownBenchmarks known_benchmarks(const PolicyOptions& options) {
  KnownBenchmarks known;
  for (const results::Results& each : read_sessions(options.results)) add(each, known);
  const fs::path baselines = options.baselines.value_or(kProjectBaselines);
  if (options.baselines && !fs::is_directory(baselines)) {
    throw Error(kExitUsage,
                fmt::format("--baselines {}: there is no such folder", baselines.string()));
  }
  for (const fs::path& folder : folders_of_baselines(baselines)) {
    for (const std::string& device : devices_with_baseline(folder)) {
      if (const auto baseline = read_baseline(folder, device)) add(*baseline, known);
    }
  }
  std::sort(known.ids.begin(), known.ids.end());
  known.ids.erase(std::unique(known.ids.begin(), known.ids.end()), known.ids.end());
  return known;
}

int check(const PolicyOptions& options, bool quiet) {
  const std::string text = results::read_file(options.file, results::kPolicyLimit);
  PolicyCheck found = check_policy(text, options.file.string(), known_benchmarks(options), today());
  if (quiet) found.rules.clear();
  (void)print(log_text(to_text(found)));
  return found.faults.empty() ? kExitPass : kExitNotMeasured;
}

int list_profiles() {
  std::vector<std::vector<std::string>> rows;
  for (const Profile& each : policy_profiles()) rows.push_back({each.name, each.what_for});
  return print(aligned_table({{"profile"}, {"for"}}, rows));
}

}  // namespace

void add_policy_commands(CLI::App& program, Context& context) {
  CLI::App& policy =
      *program.add_subcommand("policy", "Checks a policy, and shows profiles to start from");
  policy.require_subcommand(1);
  policy.footer(kPolicyExamples);
  const auto options = std::make_shared<PolicyOptions>();
  CLI::App& check_it = *policy.add_subcommand(
      "check", "Lists each mistake in a policy, and which benchmarks its patterns match");
  CLI::App& list = *policy.add_subcommand("list", "Lists the profiles");
  CLI::App& show = *policy.add_subcommand("show", "Prints a profile, which is a whole policy");
  check_it.add_option("FILE", options->file, "The policy")->capture_default_str();
  check_it
      .add_option("--results", options->results,
                  "Results file whose benchmarks the patterns should match; may be repeated")
      ->allow_extra_args(false);
  check_it.add_option(
      "--baselines", options->baselines,
      "Folder of baselines, or of several such folders, whose benchmarks they should "
      "match (default: baselines, if it is there)");
  check_it.footer(with_statuses(kCheckExamples, kCheckStatuses));
  show.add_option("PROFILE", options->profile, "Its name: gpu, cpu, imported or program")
      ->required();
  context.on_call(check_it, [options, &context] { return check(*options, context.quiet); });
  context.on_call(list, [] { return list_profiles(); });
  context.on_call(show, [options] { return print(policy_profile(options->profile).text); });
}

}  // namespace warpgauge::ci
