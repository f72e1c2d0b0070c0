// SPDX-License-Identifier: Apache-2.0
// `warpgauge lines`.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/report/line_table_report.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kLinesExample =
    "Example:\n  warpgauge lines results.json --filter transpose/padded";

struct LinesCommand {
  std::filesystem::path results;
  std::string filter;  // regular expression on ids; empty: all
  bool json = false;
};

int lines(const LinesCommand& options) {
  results::Results results = results::read_results(options.results);
  std::vector<std::string> ids;
  for (const results::BenchmarkResult& each : results.benchmarks) ids.push_back(each.id);
  std::erase_if(results.benchmarks, [wanted = IdFilter(options.filter)](const auto& benchmark) {
    return !wanted.matches(benchmark.id);
  });
  if (results.benchmarks.empty()) {
    throw Error(kExitUsage,
                fmt::format("--filter '{}' matches no benchmark of {}{}", options.filter,
                            results.name, meant_by_filter(options.filter, ids)));
  }
  return print(options.json ? json_text(lines_json(results)) : log_text(line_tables(results)));
}

}  // namespace

void add_lines(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("lines", "Prints the traffic of each source line");
  const auto options = std::make_shared<LinesCommand>();
  command.add_option("RESULTS", options->results, "Results file")->required();
  add_filter(command, options->filter);
  add_json(command, options->json);
  command.footer(kLinesExample);
  context.on_call(command, [options] { return lines(*options); });
}

}  // namespace warpgauge::ci
