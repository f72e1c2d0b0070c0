// SPDX-License-Identifier: Apache-2.0
// An SQLite file that someone else wrote: all that `history` reads of it, and a pruning.
#include "ci/history/history.hpp"

#include <filesystem>
#include <fstream>

#include "ci/history/history_report.hpp"
#include "ci/history/prune.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

constexpr std::size_t kMostRuns = 100;

void read_device(ci::History& history, const std::string& device) {
  const auto runs = history.runs(device, kMostRuns);
  (void)ci::runs_text(runs);
  for (const ci::HistorySeries& series : history.series(device)) {
    for (const auto& [metric, points] : history.figures(series, runs)) {
      for (const ci::HistoryFigures& point : points) {
        if (point.run >= runs.size()) found("figures of no run");
        (void)ci::csv_lines(runs[point.run], series.benchmark, metric, point.figures);
      }
    }
  }
  for (const ci::HistoryRun& run : runs) {
    try {
      (void)history.results(run.number);
    } catch (const ci::Error&) {
      continue;  // a damaged one does not take the others along
    }
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;  // one for all inputs: making it takes the most time
  const std::filesystem::path file = folder.path() / "history.sqlite";
  for (const char* beside : {"", "-wal", "-shm", "-journal"}) {
    std::filesystem::remove(file.string() + beside);
  }
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  std::vector<std::string> devices;
  {
    ci::History history(file.string(), ci::History::For::reading);
    devices = history.devices();
    (void)history.metrics();
    for (const std::string& device : devices) read_device(history, device);
  }
  (void)ci::prune_history(file.string(), {.device_keys = devices, .keep = 1, .measured = {}});
}
