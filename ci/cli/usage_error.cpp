// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/usage_error.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ci/cli/command_text.hpp"
#include "ci/history/connection/address.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
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

// What stands for a known option of other programs; empty: it is none.
std::string known_elsewhere(const CLI::App& command, const std::string& name) {
  const bool is_dry_run = name == "--dry-run" || name == "-n";
  return command.get_name() == "init" && is_dry_run
             ? ": without --yes it shows what it would write, and writes nothing unless you agree "
               "at the terminal, so that is the dry run"
             : "";
}

std::string unknown_word(const CLI::App& command, const std::string& path,
                         const std::string& word) {
  if (is_option(word)) {
    const std::string name = word.substr(0, word.find('='));
    std::string hint = known_elsewhere(command, name);
    if (hint.empty()) hint = results::did_you_mean(name, options_of(command));
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

// "a whole number from 1 to 1000" of "INT in [1 - 1000]"; empty: it is no number.
std::string number_in_words(const std::string& value) {
  const std::string type = value.substr(0, value.find(' '));
  const bool is_whole = type == "INT" || type == "UINT";
  if (!is_whole && type != "NUMBER" && type != "FLOAT") return "";
  const std::string kind = is_whole ? "a whole number" : "a number";
  const std::size_t open = value.find('[');
  const std::size_t dash = value.find(" - ");
  const std::size_t close = value.find(']');
  if (open == value.npos || dash == value.npos || close == value.npos) return kind;
  return fmt::format("{} from {} to {}", kind, value.substr(open + 1, dash - open - 1),
                     value.substr(dash + 3, close - dash - 3));
}

std::string needs_value(const OptionText& option, const std::string& name) {
  if (!option.choices.empty()) {
    return fmt::format("{} needs a value: {}", name, enumerated(option.choices, "or"));
  }
  if (const std::string number = number_in_words(option.value); !number.empty()) {
    return fmt::format("{} needs a value: {}", name, number);
  }
  if (option.value == "TEXT") return fmt::format("{} needs a value, and nothing follows it", name);
  return fmt::format("{0} needs a value: {1}, as in {0} {1}", name, option.value);
}

// What the parser says of an option's values, in words; empty: it says something else.
std::string about_values(const CLI::App& command, const CLI::ParseError& error) {
  const std::string said = error.what();
  for (const CLI::Option* each : command.get_options()) {
    const std::string name = each->get_name();
    const OptionText option = option_text(*each);
    const std::string unconverted = fmt::format("Could not convert: {} = ", name);
    if (said.starts_with(unconverted)) {
      const std::string number = number_in_words(option.value);
      return fmt::format("{} '{}' is not {}", name, said.substr(unconverted.size()),
                         number.empty() ? option.value : number);
    }
    if (!said.starts_with(name + ": ")) continue;
    const std::string what = said.substr(name.size() + 2);
    if (error.get_name() == "ArgumentMismatch") {
      return what.ends_with(" missing") ? needs_value(option, name)
                                        : fmt::format("{} is given more than once", name);
    }
    const std::size_t end = what.rfind(" not in {");
    if (end == what.npos || option.choices.empty()) continue;
    const std::string value = what.substr(0, end);
    return fmt::format("{} '{}': there {} {}{}", name, value,
                       option.choices.size() == 1 ? "is" : "are", enumerated(option.choices),
                       results::did_you_mean(value, option.choices));
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
  const std::string said = about_values(*command, error);
  return fmt::format("{}; see {} --help", without_addresses(said.empty() ? error.what() : said),
                     path);
}

}  // namespace warpgauge::ci
