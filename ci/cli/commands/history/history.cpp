// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/commands/history/history.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/history/connection/address.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kHistoryExamples =
    "Examples:\n"
    "  warpgauge history record results/results.json\n"
    "  warpgauge history list\n"
    "  warpgauge history trend transpose/padded/256x192 shared_load_wavefronts\n"
    "  warpgauge history changes --filter '^transpose/'\n"
    "  warpgauge history changes --fail-within 7\n"
    "  warpgauge history report --device nvidia-h200 --out trends.html\n"
    "  warpgauge history badge --device nvidia-h200 --out performance.svg\n"
    "  warpgauge history export --out figures.csv\n"
    "  warpgauge history export --run 12 --out then.json\n"
    "  warpgauge history prune --older-than 365 --keep 200\n"
    "  warpgauge history list --history postgresql://ci@database.example/performance";

}  // namespace

std::string usual_history() {
  const char* const usual = "history.sqlite";
  std::error_code unseen;
  const bool only_earlier =
      !std::filesystem::exists(usual, unseen) && std::filesystem::exists(kEarlierHistory, unseen);
  return only_earlier ? kEarlierHistory : usual;
}

void add_history_option(CLI::App& command, HistoryOptions& options) {
  command
      .add_option("--history", options.history, "SQLite file, or postgresql://USER@HOST/DATABASE")
      ->capture_default_str();
}

void add_history_device(CLI::App& command, HistoryOptions& options) {
  command.add_option("--device", options.device, "Its folder under baselines/ (default: all)");
}

void add_history_last(CLI::App& command, HistoryOptions& options) {
  command.add_option("--last", options.last, "Runs of a device to look at, the newest")
      ->check(whole_number_between(1, 1'000'000))
      ->capture_default_str();
}

std::vector<std::string> wanted_devices(History& history, const HistoryOptions& options) {
  std::vector<std::string> devices = history.devices();
  if (options.device.empty()) return devices;
  if (std::find(devices.begin(), devices.end(), options.device) == devices.end()) {
    throw Error(kExitUsage, fmt::format("--device {}: {} has runs on {} only", options.device,
                                        name_of(options.history), fmt::join(devices, ", ")));
  }
  return {options.device};
}

void add_history(CLI::App& program, Context& context) {
  CLI::App& history = *program.add_subcommand(
      "history", "Keeps runs in a database, and shows figures over commits");
  history.require_subcommand(1);
  history.footer(kHistoryExamples);
  add_history_record(history, context);
  add_history_list(history, context);
  add_history_trend(history, context);
  add_history_changes(history, context);
  add_history_report(history, context);
  add_history_badge(history, context);
  add_history_export(history, context);
  add_history_prune(history, context);
}

}  // namespace warpgauge::ci
