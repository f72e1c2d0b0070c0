// SPDX-License-Identifier: Apache-2.0
// `warpgauge history export`.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <optional>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/history/history_report.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kAll = std::numeric_limits<int>::max();

struct HistoryExportOptions {
  HistoryOptions history;
  std::optional<int> run;       // its results file; absent: all figures as a table
  std::optional<fs::path> out;  // absent: standard output
};

// Standard output, or a file that is there when all of it is.
class CsvSink {
 public:
  explicit CsvSink(const std::optional<fs::path>& out) {
    if (!out) return;
    file_.emplace();
    file_->add(*out, "");
  }

  void write(const std::string& text) {
    if (file_) {
      file_->append(text);
    } else {
      fmt::print("{}", text);
    }
  }

  void finish() {
    if (file_) file_->replace();
  }

 private:
  std::optional<results::NewFiles> file_;
};

int export_figures(const HistoryExportOptions& options) {
  History history(options.history.history, History::For::reading);
  if (options.run) {
    const std::string text = history.results(*options.run);
    if (options.out) {
      results::write_file_atomically(*options.out, text);
      return kExitPass;
    }
    // Whoever writes to the database may have put anything there, for the terminal or a log.
    (void)results::parse_results(text, fmt::format("run {}", *options.run));
    return print(::isatty(STDOUT_FILENO) != 0 ? visible_json(text) : text);
  }
  // Series by series: all of it may be more than memory holds.
  CsvSink sink(options.out);
  sink.write(csv_header());
  for (const std::string& device : wanted_devices(history, options.history)) {
    const std::vector<HistoryRun> runs = history.runs(device, kAll);
    for (const HistorySeries& series : history.series(device)) {
      std::string lines;
      for (const auto& [metric, points] : history.figures(series, runs)) {
        for (const HistoryFigures& point : points) {
          lines += csv_lines(runs[point.run], series.benchmark, metric, point.figures);
        }
      }
      sink.write(lines);
    }
  }
  sink.finish();
  return kExitPass;
}

}  // namespace

void add_history_export(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand(
      "export", "Prints all figures as CSV, or the results file of one run as it was recorded");
  const auto options = std::make_shared<HistoryExportOptions>();
  command.add_option("--run", options->run, "Number of the run, as listed");
  command.add_option("--out", options->out, "File to write (default: standard output)");
  add_history_option(command, options->history);
  add_history_device(command, options->history);
  context.on_call(command, [options] { return export_figures(*options); });
}

}  // namespace warpgauge::ci
