// SPDX-License-Identifier: Apache-2.0
// `warpgauge metrics`: asks warpgauge_metrics (profiling/cupti), and shows its answer.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Json;

constexpr const char* kMetricsExamples =
    "Examples:\n"
    "  warpgauge metrics\n"
    "  warpgauge metrics --chip GH100 'bank conflicts'\n"
    "  warpgauge metrics --chip GH100 dram__bytes_read";

constexpr const char* kMetricsProgram = "warpgauge_metrics";

struct MetricsCommand {
  std::optional<fs::path> program;  // absent: the one beside this program
  std::string chip;                 // empty: the chips are listed
  std::string text;                 // that a metric's name or description has; empty: all metrics
  bool json = false;
};

std::string text_in(const Json& metric, const char* field) {
  return one_line(metric.at(field).get<std::string>());
}

// The answer of warpgauge_metrics for people. Throws Json::exception for another answer.
std::string metrics_table(const Json& answer) {
  if (answer.contains("chips")) {
    std::string chips;
    for (const Json& chip : answer["chips"]) chips += one_line(chip.get<std::string>()) + "\n";
    return chips;
  }
  const Json& metrics = answer.at("metrics");
  const bool recorded = std::any_of(metrics.begin(), metrics.end(), [](const Json& metric) {
    return metric.contains("recorded_as");
  });
  std::vector<Column> columns{{"metric"}, {"of"}, {"in"}, {"passes", Align::right}};
  if (recorded) columns.push_back({"always counted in"});
  columns.push_back({"what"});

  std::vector<std::vector<std::string>> rows;
  for (const Json& metric : metrics) {
    const auto passes = metric.at("passes").get<std::size_t>();
    rows.push_back({text_in(metric, "name"), text_in(metric, "unit"), text_in(metric, "dimension"),
                    passes == 0 ? "–" : fmt::format("{}", passes)});
    if (recorded) {
      rows.back().push_back(metric.contains("recorded_as") ? text_in(metric, "recorded_as") : "");
    }
    rows.back().push_back(text_in(metric, "description"));
  }
  return aligned_table(columns, rows);
}

int metrics(const MetricsCommand& options) {
  if (options.chip.empty() && !options.text.empty()) {
    throw Error(kExitUsage,
                "metrics differ from chip to chip: name one with --chip, as `warpgauge metrics` "
                "lists them");
  }
  const fs::path program = options.program.value_or(own_folder() / kMetricsProgram);
  if (!fs::is_regular_file(program)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no {}, which asks CUPTI: give its path with --program, or {}",
                            program.string(), how_to_build(kMetricsProgram)));
  }
  std::vector<std::string> arguments;
  if (!options.chip.empty()) arguments = {options.chip, options.text};
  const Json answer = ask(fs::absolute(program), arguments, kQuestionTimeout,
                          fmt::format("is it {}?", kMetricsProgram));
  if (options.json) return print(json_text(answer));
  try {
    if (answer.contains("metrics") && answer["metrics"].empty()) {
      throw Error(kExitUsage, fmt::format("no metric of {} has '{}' in its name or description",
                                          options.chip, options.text));
    }
    return print(log_text(metrics_table(answer)));
  } catch (const Json::exception& error) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}; is it of the same version?",
                                              program.string(), one_line(error.what())));
  }
}

}  // namespace

void add_metrics(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "metrics", "Lists and explains the metrics that a chip can count; needs no GPU");
  const auto options = std::make_shared<MetricsCommand>();
  command.add_option("TEXT", options->text,
                     "Part of a metric's name or description; a whole name lists all its roll-ups");
  command.add_option("--chip", options->chip,
                     "The chip, such as GH100 for an H100 or H200 (default: lists the chips)");
  add_json(command, options->json);
  command.add_option("--program", options->program,
                     "The executable that asks CUPTI (default: warpgauge_metrics beside this one)");
  command.footer(kMetricsExamples);
  context.on_call(command, [options] { return metrics(*options); });
}

}  // namespace warpgauge::ci
