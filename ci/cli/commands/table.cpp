// SPDX-License-Identifier: Apache-2.0
// `warpgauge table`.
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/report/results_table.hpp"
#include "ci/support/json_text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kTableExamples =
    "Examples:\n"
    "  warpgauge table results.json\n"
    "  warpgauge table results.json --reference naive";

struct TableCommand {
  std::filesystem::path results;
  std::vector<std::string> references = TableOptions().references;
  bool json = false;
};

int table(const TableCommand& options) {
  const results::Results results = results::read_results(options.results);
  TableOptions table;
  table.references = options.references;
  if (options.json) return print(json_text(table_json(results, table)));
  return print(markdown_tables(results, table));
}

}  // namespace

void add_table(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("table", "Prints results as Markdown tables");
  const auto options = std::make_shared<TableCommand>();
  command.add_option("RESULTS", options->results, "Results file or plain Google Benchmark JSON")
      ->required();
  command
      .add_option("--reference", options->references,
                  "Variant by whose time the others of its family and size are divided; of "
                  "several, the first that exists")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_json(command, options->json);
  command.footer(kTableExamples);
  context.on_call(command, [options] { return table(*options); });
}

}  // namespace warpgauge::ci
