// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

#include "ci/history/connection/address.hpp"
#include "ci/support/process/process.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  return names;
}

// Where subcommands are, whatever comes first was meant for one. Elsewhere an option goes before
// what is left over: that may be its value, or follow from it.
std::string first_unknown(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  std::erase(words, "--");
  if (words.empty()) return "";
  if (!subcommands_of(command).empty()) return words.front();
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  return option == words.end() ? words.front() : *option;
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not for people
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// Whether what stands there is a program's name, so that options behind it may be the program's.
bool has_program(const CLI::App& command) {
  const CLI::Option* const words = command.get_option_no_throw("COMMAND");
  return words != nullptr && words->count() > 0 && !find_program(words->results().front()).empty();
}

std::string unknown_word(const CLI::App& command, const std::string& path,
                         const std::string& word) {
  if (is_option(word)) {
    const std::string name = word.substr(0, word.find('='));
    std::string hint = results::did_you_mean(name, options_of(command));
    if (hint.empty() && has_program(command)) hint = "; a program and its options stand after --";
    return fmt::format("{} has no option {}{}", path, name, hint);
  }
  const std::vector<std::string> subcommands = subcommands_of(command);
  if (subcommands.empty()) return fmt::format("{} has no use for '{}'", path, word);
  return fmt::format("{} has no subcommand '{}'{}", path, word,
                     results::did_you_mean(word, subcommands));
}

// The parser takes for an option's value whatever follows it.
std::string unvalued_option(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;  // words of a program, too
    for (const std::string& value : option->results()) {
      const std::string word = value.substr(0, value.find('='));
      const bool known = is_option(word) && command.get_option_no_throw(word) != nullptr;
      if (word == "--" || known) {
        return fmt::format("{} needs a value, and {} follows it", option->get_name(), word);
      }
    }
  }
  return "";
}

}  // namespace

std::string missing_value(const CLI::App& program) {
  const CLI::App* command = &program;
  std::string path = program.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    path += " " + command->get_name();
  }
  const std::string what = unvalued_option(*command);
  return what.empty() ? "" : fmt::format("{}; see {} --help", what, path);
}

std::string usage_error(const CLI::App& program, const CLI::ParseError& error) {
  if (std::string missing = missing_value(program); !missing.empty()) return missing;
  const CLI::App* command = &program;
  std::string path = program.get_name();
  for (;;) {
    const std::vector<CLI::App*> further = command->get_subcommands();
    std::string word = first_unknown(*command);
    // Behind an unknown option of a subcommand, what follows -- is left to the program.
    if (!is_option(word) && !further.empty() && is_option(first_unknown(*further.front()))) {
      word.clear();
    }
    if (!word.empty()) {
      return fmt::format("{}; see {} --help", unknown_word(*command, path, without_values(word)),
                         path);
    }
    if (further.empty()) break;
    command = further.front();
    path += " " + command->get_name();
  }
  return fmt::format("{}; see {} --help", without_addresses(error.what()), path);
}

}  // namespace warpgauge::ci
