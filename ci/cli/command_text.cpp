// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/command_text.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace warpgauge::ci {
namespace {

// Of "TEXT:{gate,large}".
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find(":{");
  if (open == type.npos || type.back() != '}') return choices;
  std::istringstream list(type.substr(open + 2, type.size() - open - 3));
  for (std::string choice; std::getline(list, choice, ',');) choices.push_back(choice);
  return choices;
}

// "INT in [1 - 1000]" of "INT:INT in [1 - 1000]", "TEXT" of "TEXT:{gate,large}".
std::string value_in(const std::string& type) {
  const std::size_t colon = type.find(':');
  if (colon == type.npos) return type;
  return type[colon + 1] == '{' ? type.substr(0, colon) : type.substr(colon + 1);
}

CommandText text_of(const CLI::App& app, const std::string& path) {
  CommandText text;
  text.path = path;
  text.description = app.get_description();
  text.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // not for people
    (option->get_positional() ? text.positionals : text.options).push_back(option_text(*option));
  }
  const auto shown = [](const CLI::App* command) { return !command->get_group().empty(); };
  for (const CLI::App* command : app.get_subcommands(shown)) {
    text.commands.push_back(
        text_of(*command, path.empty() ? command->get_name() : path + " " + command->get_name()));
  }
  return text;
}

}  // namespace

OptionText option_text(const CLI::Option& option) {
  OptionText text;
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_positional()) text.names = {option.get_name(true)};
  if (option.get_items_expected_max() > 0) {
    text.value = value_in(option.get_type_name());
    text.choices = choices_in(option.get_type_name());
  }
  text.initial = option.get_default_str();
  text.required = option.get_required();
  text.repeated = option.get_items_expected_max() > 1;
  text.description = option.get_description();
  return text;
}

CommandText command_text(const CLI::App& app) { return text_of(app, ""); }

std::vector<const CommandText*> all_commands(const CommandText& program) {
  std::vector<const CommandText*> all{&program};
  for (const CommandText& command : program.commands) {
    for (const CommandText* each : all_commands(command)) all.push_back(each);
  }
  return all;
}

}  // namespace warpgauge::ci
