// SPDX-License-Identifier: Apache-2.0
// `warpgauge approve`.
#include "ci/baselines/approve/approve.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "ci/baselines/baseline_report.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/named_baselines.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kApproveExamples =
    "Examples:\n"
    "  warpgauge approve results/results.json --reason 'one barrier less'\n"
    "  warpgauge approve monday.json tuesday.json --filter '^scan_' --reason 'two sessions more'\n"
    "  warpgauge approve results/results.json --anchor --reason 'version 1.0: from here on'\n"
    "  warpgauge approve results/results.json --new-environment --beside results/against.json "
    "--reason 'CUDA 13.0'\n"
    "  warpgauge approve results/results.json --remove transpose/old/256x192 --reason 'gone'";
constexpr const char* kApproveStatuses =
    "Exit status:\n"
    "   0  approved, or there was nothing to approve\n"
    "   3  refused: inconclusive against the baseline, measured on a machine that is off, or\n"
    "      --beside can carry nothing over\n"
    "   4  refused: failed, not measured, or cannot be read or written\n"
    "  64  wrong usage";

struct ApproveOptions {
  std::vector<fs::path> results;
  fs::path baselines = kProjectBaselines;
  std::string filter;  // regular expression on ids; empty: all
  std::vector<std::string> remove;
  std::string reason;
  bool new_environment = false;
  std::optional<fs::path> beside;
  bool code_only = false;
  bool anchor = false;
  bool drop_figures = false;
  std::optional<fs::path> policy;
  bool json = false;
};

// An empty phrase counts as no reason.
void check_reason(const std::string& reason) {
  const bool blank = reason.find_first_not_of(" \t\r\n") == reason.npos;
  if (!blank && reason != kReasonPlaceholder && reason != "...") return;
  throw Error(
      kExitUsage,
      fmt::format(
          "--reason '{}': say why this becomes the baseline; reviewers of the change read it there",
          reason));
}

int approve(const ApproveOptions& options) {
  check_reason(options.reason);
  const Policy policy = load_policy(options.policy, options.baselines);
  ApprovalRequest request;
  request.sessions = read_sessions(options.results);
  request.filter = options.filter;
  request.remove = options.remove;
  request.new_environment = options.new_environment;
  if (options.beside) request.beside = results::read_results(*options.beside);
  request.code_only = options.code_only;
  request.anchor = options.anchor;
  request.drop_figures = options.drop_figures;
  request.by = current_author();
  request.reason = options.reason;
  request.now = now_utc();
  const Approval approval = approve(request, options.baselines, policy);
  return print(options.json ? json_text(approval_json(approval))
                            : log_text(approval_text(approval)));
}

}  // namespace

void add_approve(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("approve", "Makes results the baseline");
  const auto options = std::make_shared<ApproveOptions>();
  command.add_option("RESULTS", options->results, "Results files, each a session")->required();
  command.add_option("--baselines", options->baselines, "Folder of baselines")
      ->type_name("FOLDER")
      ->capture_default_str();
  command
      .add_option("--reason", options->reason,
                  "Why this becomes the baseline. Kept in it, with who approved it and when")
      ->required();
  add_filter(command, options->filter);
  command.add_option("--remove", options->remove, "Benchmark to remove from the baseline")
      ->allow_extra_args(false);
  CLI::Option* new_environment =
      command.add_flag("--new-environment", options->new_environment,
                       "After a change of driver, CUDA toolkit or command, or from cold times to "
                       "hot ones: drops the old sessions");
  CLI::Option* beside =
      command
          .add_option("--beside", options->beside,
                      "After a change of CUDA toolkit: the against.json that gate --against-build "
                      "measured in turns with RESULTS. Carries sessions and anchors over by the "
                      "ratio of the two, where it is known well enough")
          ->type_name("AGAINST")
          ->needs(new_environment);
  CLI::Option* code_only = command.add_flag(
      "--code-only", options->code_only,
      "After a gate that passed: records machine code, launches, input and counters, so that the "
      "next gate knows what it need not time. Keeps the times");
  code_only->excludes(beside);
  command
      .add_flag("--anchor", options->anchor,
                "Also makes the measured commit the anchor of these benchmarks, for gate "
                "--since-anchor. Nothing else moves an anchor")
      ->excludes(code_only)
      ->excludes(beside);
  command.add_flag("--drop-figures", options->drop_figures,
                   "Drops figures that the baseline has and the policy no longer gates");
  add_policy(command, options->policy);
  add_json(command, options->json);
  command.footer(with_statuses(kApproveExamples, kApproveStatuses));
  context.on_call(command, [options, &command] {
    require_named_baselines(command, options->baselines);
    return approve(*options);
  });
}

}  // namespace warpgauge::ci
