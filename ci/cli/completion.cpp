// SPDX-License-Identifier: Apache-2.0
// `warpgauge completion`: scripts by which shells complete the command line, made of what it
// declares.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ci/cli/command_text.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using Words = std::vector<std::string>;

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

Words names_of(const CommandText& command) {
  Words words;
  for (const CommandText& each : command.commands) words.push_back(last_word(each.path));
  return words;
}

// Subcommands, and what a positional may be where that is one of a few words.
Words operands_of(const CommandText& command) {
  Words words = names_of(command);
  for (const OptionText& each : command.positionals) {
    words.insert(words.end(), each.choices.begin(), each.choices.end());
  }
  return words;
}

Words options_of(const CommandText& command) {
  Words words;
  for (const OptionText& each : command.options) {
    words.insert(words.end(), each.names.begin(), each.names.end());
  }
  return words;
}

// The case by which bash and zsh find the subcommand, word by word.
std::string paths(const std::vector<const CommandText*>& commands) {
  Words patterns;
  for (const CommandText* each : commands) {
    if (!each->path.empty()) patterns.push_back("'" + each->path + "'");
  }
  return fmt::format("      {}) command=$called ;;\n", fmt::join(patterns, " | "));
}

// The cases of options that take a value: its choices, or else a file.
std::string values(const std::vector<const CommandText*>& commands, const char* choose,
                   const char* file) {
  std::string text;
  for (const CommandText* command : commands) {
    for (const OptionText& option : command->options) {
      if (option.value.empty()) continue;
      Words patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(fmt::format("'{} {}'", command->path, name));
      }
      const std::string then =
          option.choices.empty() ? file : fmt::format(fmt::runtime(choose), joined(option.choices));
      text += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), then);
    }
  }
  return text;
}

// The cases of what may stand behind each subcommand.
std::string words(const std::vector<const CommandText*>& commands, Words (*of)(const CommandText&),
                  const char* choose) {
  std::string text;
  for (const CommandText* command : commands) {
    const Words all = of(*command);
    if (all.empty()) continue;
    text += fmt::format("      '{}') {} ;;\n", command->path,
                        fmt::format(fmt::runtime(choose), joined(all)));
  }
  return text;
}

std::string for_bash(const CommandText& program) {
  const auto commands = all_commands(program);
  std::string text = R"(# Completion for bash; made by: warpgauge completion bash
_warpgauge() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' called='' words='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    called=${command:+$command }${COMP_WORDS[i]}
    case $called in
)";
  text += paths(commands) + R"(    esac
  done
  # bash takes the = of --option=value for a word.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $before" in
)" + values(commands, "words='{}'", "return") +
          R"(    *)
      if [[ $word == -* ]]; then
        case $command in
)" + words(commands, options_of, "  words='{}'") +
          R"(        esac
      else
        case $command in
)" + words(commands, operands_of, "  words='{}'") +
          R"(        esac
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _warpgauge warpgauge
)";
  return text;
}

// name:description, as _describe takes it.
std::string described(const std::string& name, const std::string& description) {
  std::string text = name;
  text += ":";
  for (const char character : description) {
    if (character == ':' || character == '\\') text += '\\';
    text += character;
  }
  return shell_word(text);
}

std::string zsh_operands(const CommandText& command) {
  Words words;
  for (const CommandText& each : command.commands) {
    words.push_back(described(last_word(each.path), each.description));
  }
  for (const OptionText& each : command.positionals) {
    for (const std::string& choice : each.choices) words.push_back(described(choice, ""));
  }
  return joined(words);
}

std::string zsh_options(const CommandText& command) {
  Words words;
  for (const OptionText& each : command.options) {
    for (const std::string& name : each.names) words.push_back(described(name, each.description));
  }
  return joined(words);
}

std::string for_zsh(const CommandText& program) {
  const auto commands = all_commands(program);
  std::string text = R"(#compdef warpgauge
# Completion for zsh; made by: warpgauge completion zsh
_warpgauge() {
  local command='' called='' i
  local -a all
  for ((i = 2; i < CURRENT; ++i)); do
    called=${command:+$command }${words[i]}
    case $called in
)";
  text += paths(commands) + "    esac\n  done\n";
  text += "  case \"$command ${words[CURRENT - 1]}\" in\n" +
          values(commands, "compadd -- {}; return", "_files; return") + "  esac\n";
  text += "  if [[ ${words[CURRENT]} == -* ]]; then\n    case $command in\n";
  for (const CommandText* each : commands) {
    text += fmt::format("      '{}') all=({}) ;;\n", each->path, zsh_options(*each));
  }
  text += "    esac\n    _describe -o option all\n    return\n  fi\n  case $command in\n";
  for (const CommandText* each : commands) {
    const std::string operands = zsh_operands(*each);
    if (!operands.empty()) text += fmt::format("    '{}') all=({}) ;;\n", each->path, operands);
  }
  return text +
         R"(  esac
  if ((${#all})); then
    _describe command all
  else
    _files
  fi
}
if [[ ${funcstack[1]} == _warpgauge ]]; then
  _warpgauge "$@"
else
  compdef _warpgauge warpgauge
fi
)";
}

// In fish's single quotes only these two are special.
std::string fish_word(const std::string& text) {
  std::string word = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') word += '\\';
    word += character;
  }
  return word + "'";
}

// fish's question whether the command line is this subcommand's.
std::string fish_condition(const CommandText& command) {
  if (command.path.empty()) return "__fish_use_subcommand";
  std::string seen;
  for (std::size_t begin = 0; begin < command.path.size();) {
    const std::size_t end = std::min(command.path.find(' ', begin), command.path.size());
    seen += fmt::format("{}__fish_seen_subcommand_from {}", seen.empty() ? "" : "; and ",
                        command.path.substr(begin, end - begin));
    begin = end + 1;
  }
  const Words below = names_of(command);
  if (below.empty()) return seen;
  return fmt::format("{}; and not __fish_seen_subcommand_from {}", seen, joined(below));
}

std::string for_fish(const CommandText& program) {
  std::string text = "# Completion for fish; made by: warpgauge completion fish\n";
  for (const CommandText* command : all_commands(program)) {
    const std::string line =
        fmt::format("complete -c warpgauge -n {}", fish_word(fish_condition(*command)));
    for (const CommandText& each : command->commands) {
      text += fmt::format("{} -f -a {} -d {}\n", line, last_word(each.path),
                          fish_word(each.description));
    }
    for (const OptionText& each : command->positionals) {
      if (each.choices.empty()) continue;
      text += fmt::format("{} -f -a {}\n", line, fish_word(joined(each.choices)));
    }
    for (const OptionText& option : command->options) {
      text += line;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (!option.choices.empty()) {
        text += " -x -a " + fish_word(joined(option.choices));
      } else if (!option.value.empty()) {
        text += " -r -F";
      }
      text += fmt::format(" -d {}\n", fish_word(option.description));
    }
  }
  return text;
}

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(warpgauge completion bash)\n"
    "  warpgauge completion fish > ~/.config/fish/completions/warpgauge.fish";

std::string completion_script(const CommandText& program, const std::string& shell) {
  if (shell == "bash") return for_bash(program);
  return shell == "zsh" ? for_zsh(program) : for_fish(program);
}

}  // namespace

void add_completion(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "completion", "Prints the script by which a shell completes warpgauge");
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer(kCompletionExamples);
  context.on_call(command, [shell, &program] {
    return print(completion_script(command_text(program), *shell));
  });
}

}  // namespace warpgauge::ci
