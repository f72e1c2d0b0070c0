// SPDX-License-Identifier: Apache-2.0
// `warpgauge report`.
#include "ci/report/formats/report_formats.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/report/formats/terminal.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReportExamples =
    "Examples:\n"
    "  warpgauge report results/verdict.json\n"
    "  warpgauge report results/verdict.json --format sarif --out warpgauge.sarif\n"
    "  warpgauge report results/verdict.json --format html --history history.sqlite "
    "--reference naive --out report.html";

struct ReportOptions {
  fs::path verdict;  // verdict.json
  std::string format = "terminal";
  std::optional<fs::path> out;  // absent: standard output
  Colour colour = Colour::automatic;
  bool verbose = false;
  ReportLinks links;
  std::string history;  // where runs are; empty: none
};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ReportFormat& format : report_formats()) names.emplace_back(format.name);
  return names;
}

std::string describe_formats() {
  std::string text = "Formats:\n";
  for (const ReportFormat& format : report_formats()) {
    text += fmt::format("  {:<9} {}\n", format.name, format.purpose);
  }
  return text;
}

// Shows a verdict that was written earlier; whatever it is, the exit status is 0.
int report(const ReportOptions& options) {
  const GateVerdict verdict = read_verdict(options.verdict);
  ReportLinks links = options.links;
  if (!options.history.empty()) {
    HistoryOptions history;
    history.history = options.history;
    if (verdict.after_session) history.device = verdict.after_session->device.key;
    links.trends = trends_on(history);
  }
  const bool for_terminal = options.format == "terminal";
  const TerminalStyle style =
      options.out
          ? TerminalStyle{.colour = options.colour == Colour::always, .verbose = options.verbose}
          : style_of_standard_output(options.colour, options.verbose);
  const std::string text = for_terminal ? terminal_report(verdict, style)
                                        : report_format(options.format).render(verdict, links);
  if (!options.out) return print(text);
  results::write_file_atomically(*options.out, text);
  return kExitPass;
}

}  // namespace

void add_report(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("report", "Shows a verdict in another format");
  const auto options = std::make_shared<ReportOptions>();
  command.add_option("VERDICT", options->verdict, "verdict.json of gate or compare --json")
      ->required();
  command.add_option("--format", options->format, "See below")
      ->check(CLI::IsMember(format_names()))
      ->capture_default_str();
  command.add_option("--out", options->out, "File to write (default: standard output)");
  add_colour(command, options->colour);
  add_links(command, options->links);
  command
      .add_option("--history", options->history,
                  "A history of runs: the HTML report shows each benchmark's times in it")
      ->type_name("FILE");
  command
      .add_option("--reference", options->links.references,
                  "Variant that the HTML report compares the others of its family with; of "
                  "several, the first that a family has (default: the slowest)")
      ->type_name("VARIANT")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.footer(describe_formats() + kReportExamples);
  context.on_call(command, [options, &context] {
    options->verbose = context.verbose;
    return report(*options);
  });
}

}  // namespace warpgauge::ci
