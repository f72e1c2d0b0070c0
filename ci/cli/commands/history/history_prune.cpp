// SPDX-License-Identifier: Apache-2.0
// `warpgauge history prune`.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/history/prune.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

struct HistoryPruneOptions {
  HistoryOptions history;
  std::optional<std::int64_t> older_than;  // days
  std::optional<std::size_t> keep;
};

int prune_runs(const HistoryPruneOptions& options) {
  if (!options.older_than && !options.keep) {
    throw Error(
        kExitUsage,
        "history prune: give --older-than DAYS, --keep N, or both to say which runs to remove");
  }
  PruneRequest request;
  {
    History history(options.history.history, History::For::reading);
    request.device_keys = wanted_devices(history, options.history);
  }
  request.keep = options.keep.value_or(1);
  if (options.older_than) {
    using Days = std::chrono::duration<std::int64_t, std::ratio<86'400>>;
    const std::chrono::seconds age = Days(*options.older_than);
    request.measured = std::time(nullptr) - age.count();
  }
  std::string text;
  for (const auto& [device, pruned] : prune_history(options.history.history, request)) {
    text += fmt::format("{}: {} removed, {} kept\n", one_line(device),
                        counted(pruned.removed, "run"), pruned.kept);
  }
  return print(log_text(text));
}

}  // namespace

void add_history_prune(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand("prune", "Removes old runs, and frees their space");
  const auto options = std::make_shared<HistoryPruneOptions>();
  command
      .add_option("--older-than", options->older_than,
                  "Removes runs that were measured this many days ago or earlier")
      ->check(whole_number_between(0, 36'500));
  command
      .add_option("--keep", options->keep,
                  "How many of each device's newest runs to keep, whatever their age (default: 1)")
      ->check(whole_number_between(1, 1'000'000));
  add_history_option(command, options->history);
  add_history_device(command, options->history);
  context.on_call(command, [options] { return prune_runs(*options); });
}

}  // namespace warpgauge::ci
