// SPDX-License-Identifier: Apache-2.0
// `warpgauge manual`: the manual page, warpgauge(1), made of what the command line declares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/cli/command_text.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"

namespace warpgauge::ci {
namespace {

// Text that is no request and no escape, with hyphens that can be copied into a shell.
std::string escaped(std::string_view text) {
  std::string result;
  bool line_begins = true;
  for (const char character : text) {
    if (line_begins && (character == '.' || character == '\'')) result += "\\&";
    line_begins = character == '\n';
    if (character == '\\') {
      result += "\\e";
    } else if (character == '-') {
      result += "\\-";
    } else {
      result += character;
    }
  }
  return result;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }

std::string value_of(const OptionText& option) {
  std::string value = option.value;
  if (!option.choices.empty()) value = fmt::format("{}", fmt::join(option.choices, "|"));
  return fmt::format("\\fI{}\\fR{}", escaped(value), option.repeated ? " ..." : "");
}

std::string option_entry(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  return fmt::format(".TP\n{}{}\n{}{}{}\n", fmt::join(names, ", "),
                     option.value.empty() ? "" : fmt::format(" {}", value_of(option)),
                     escaped(option.description),
                     option.initial.empty() ? "" : fmt::format(" [{}]", escaped(option.initial)),
                     option.required ? " (required)" : "");
}

std::string synopsis(const CommandText& command) {
  std::string text = bold("warpgauge " + command.path) + " [\\fIoptions\\fR]";
  for (const OptionText& each : command.positionals) {
    const std::string name =
        fmt::format("\\fI{}\\fR{}", escaped(each.names.front()), each.repeated ? " ..." : "");
    text += fmt::format(fmt::runtime(each.required ? " {}" : " [{}]"), name);
  }
  return text;
}

// Lines as they stand.
std::string verbatim(std::string_view text) { return fmt::format(".nf\n{}\n.fi\n", escaped(text)); }

std::string section(const CommandText& command) {
  std::string text = fmt::format(".SS {}\n{}\n.PP\n{}.\n", bold("warpgauge " + command.path),
                                 synopsis(command), escaped(command.description));
  for (const OptionText& each : command.positionals) text += option_entry(each);
  for (const OptionText& each : command.options) text += option_entry(each);
  return text + ".PP\n" + verbatim(command.footer);
}

// For man(1), in its macros.
std::string manual_page(const CommandText& program, const std::string& version) {
  std::string text = fmt::format(
      ".TH WARPGAUGE 1 \"\" \"warpgauge {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "warpgauge \\- {}\n"
      ".SH SYNOPSIS\n"
      "{} \\fIcommand\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n"
      "Measures kernels, compares them with approved baselines, and says which got worse and why.\n"
      ".SH OPTIONS\n",
      escaped(version), escaped(program.description), bold("warpgauge"));
  for (const OptionText& each : program.options) text += option_entry(each);
  text += ".SH COMMANDS\n";
  for (const CommandText* command : all_commands(program)) {
    if (command->commands.empty()) text += section(*command);
  }
  return text + ".SH EXIT STATUS\n" + verbatim(program.footer);
}

}  // namespace

void add_manual(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("manual", "Prints the manual page")->group("");
  command.footer("Example:\n  warpgauge manual | man -l -");
  context.on_call(
      command, [&program] { return print(manual_page(command_text(program), WARPGAUGE_VERSION)); });
}

}  // namespace warpgauge::ci
