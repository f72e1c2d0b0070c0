// SPDX-License-Identifier: Apache-2.0
// `warpgauge history list`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/history/history_report.hpp"
#include "ci/history/trends_page.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

int list_runs(const HistoryOptions& options) {
  History history(options.history, History::For::reading);
  results::Json devices = results::Json::array();
  for (const std::string& device : wanted_devices(history, options)) {
    const std::vector<HistoryRun> runs = history.runs(device, options.last);
    if (options.json) {
      devices.push_back(device_json(device, runs, {}, fs::current_path()));
      continue;
    }
    fmt::print("{}",
               log_text(fmt::format(
                   "{}: {}{}, {}\n\n{}\n", one_line(device),
                   runs.size() == options.last ? "the newest " : "", counted(runs.size(), "run"),
                   counted(history.series(device).size(), "benchmark"), runs_text(runs))));
  }
  if (options.json) fmt::print("{}", json_text({{"devices", devices}}));
  return kExitPass;
}

}  // namespace

void add_history_list(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand("list", "Lists runs");
  const auto options = std::make_shared<HistoryOptions>();
  add_json(command, options->json);
  add_history_option(command, *options);
  add_history_device(command, *options);
  add_history_last(command, *options);
  context.on_call(command, [options] { return list_runs(*options); });
}

}  // namespace warpgauge::ci
