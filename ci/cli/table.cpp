// SPDX-License-Identifier: Apache-2.0
// `warpgauge table`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/report/results_table.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTableExamples =
    "Examples:\n"
    "  warpgauge table results.json\n"
    "  warpgauge table results.json --reference naive --into docs/explain/kernels.md";

struct TableCommand {
  fs::path results;
  std::vector<std::string> references = TableOptions().references;
  std::optional<fs::path> into;
  bool json = false;
};

// Named `warpgauge`, not as it was called: it is kept in a page, for other machines.
std::string command_line(const TableCommand& options) {
  const std::string references = fmt::format("{}", fmt::join(options.references, ","));
  const bool usual = options.references == TableOptions().references;
  return fmt::format("warpgauge table {}{} --into {}", shell_word(options.results.string()),
                     usual ? "" : " --reference " + shell_word(references),
                     shell_word(options.into->string()));
}

int table(const TableCommand& options) {
  const results::Results results = results::read_results(options.results);
  TableOptions table;
  table.references = options.references;
  if (options.json) return print(json_text(table_json(results, table)));
  if (options.into) table.command = command_line(options);
  show_tables(markdown_tables(results, table), options.into);
  return kExitPass;
}

}  // namespace

void add_table(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("table", "Prints results as Markdown tables");
  const auto options = std::make_shared<TableCommand>();
  command.add_option("RESULTS", options->results, "Results file or plain Google Benchmark JSON")
      ->required();
  command
      .add_option("--reference", options->references,
                  "Variants to divide the times of their family and size by; the first that is "
                  "there counts")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  add_into(command, options->into);
  add_json(command, options->json)->excludes("--into");
  command.footer(kTableExamples);
  context.on_call(command, [options] { return table(*options); });
}

}  // namespace warpgauge::ci
