// SPDX-License-Identifier: Apache-2.0
// Completion in shells: `warpgauge completion` prints the script for a shell, which asks the hidden
// `warpgauge complete` what may follow.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "ci/cli/command_text.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"

namespace warpgauge::ci {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kBashScript = R"(# Completion for bash
_warpgauge() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" | cut -f 1)
} 2>/dev/null
complete -o bashdefault -o default -F _warpgauge warpgauge
)";

constexpr const char* kZshScript = R"(#compdef warpgauge
_warpgauge() {
  local word description
  local -a found shown
  while IFS=$'\t' read -r word description; do
    found+=("$word")
    shown+=("$word${description:+  -- $description}")
  done < <("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  if ((${#found})); then
    compadd -l -d shown -a found
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

constexpr const char* kFishScript = R"(# Completion for fish
function __warpgauge_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l last (commandline -ct)
  $program complete -- $words "$last" 2>/dev/null
end
complete -c warpgauge -n '__warpgauge_complete | string length -q' -f -a '(__warpgauge_complete)'
)";

std::string script_for(const std::string& shell) {
  if (shell == "bash") return kBashScript;
  return shell == "zsh" ? kZshScript : kFishScript;
}

std::string last_word(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

// The subcommand that these words call; the program itself where they call none.
const CommandText& called_by(const Words& words, const CommandText& program) {
  const CommandText* called = &program;
  for (const std::string& word : words) {
    for (const CommandText& each : called->commands) {
      if (last_word(each.path) != word) continue;
      called = &each;
      break;
    }
  }
  return *called;
}

// The option of this name, if it takes a value.
const OptionText* option_with_value(const CommandText& command, const std::string& name) {
  for (const OptionText& each : command.options) {
    const bool is_named = std::find(each.names.begin(), each.names.end(), name) != each.names.end();
    if (is_named && !each.value.empty()) return &each;
  }
  return nullptr;
}

// What the last of these words may become: a line each, a tab before its description. Nothing: a
// file.
std::string completed(const CommandText& program, Words words) {
  if (words.empty()) words.emplace_back();
  // bash takes the = of --option=value for a word.
  if (words.back() == "=") {
    words.back().clear();
  } else if (words.size() > 1 && words.end()[-2] == "=") {
    words.erase(words.end() - 2);
  }
  const std::string word = words.back();
  words.pop_back();
  const CommandText& command = called_by(words, program);

  std::string text;
  const auto offer = [&](const std::string& offered, const std::string& description = "") {
    if (offered.starts_with(word)) text += fmt::format("{}\t{}\n", offered, description);
  };
  const auto offer_choices = [&](const OptionText& option, const std::string& before = "") {
    for (const std::string& choice : option.choices) offer(before + choice);
  };
  if (const auto* option = words.empty() ? nullptr : option_with_value(command, words.back())) {
    offer_choices(*option);
  } else if (const std::size_t equals = word.find('='); equals != word.npos) {
    option = option_with_value(command, word.substr(0, equals));
    if (option != nullptr) offer_choices(*option, word.substr(0, equals + 1));
  } else if (word.starts_with('-')) {
    for (const OptionText& each : command.options) {
      for (const std::string& name : each.names) offer(name, each.description);
    }
  } else {
    for (const CommandText& each : command.commands) offer(last_word(each.path), each.description);
    for (const OptionText& each : command.positionals) offer_choices(each);
  }
  return text;
}

constexpr const char* kCompletionExamples =
    "Examples:\n"
    "  source <(warpgauge completion bash)\n"
    "  warpgauge completion fish > ~/.config/fish/completions/warpgauge.fish";

}  // namespace

void add_completion(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand("completion", "Prints a script for shell completion");
  const auto shell = std::make_shared<std::string>();
  command.add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command.footer(kCompletionExamples);
  context.on_call(command, [shell] { return print(script_for(*shell)); });

  CLI::App& complete =
      *program.add_subcommand("complete", "Prints what the last word may become")->group("");
  const auto words = std::make_shared<Words>();
  complete.add_option("WORDS", *words, "The command line so far, without its first word");
  context.on_call(complete,
                  [words, &program] { return print(completed(command_text(program), *words)); });
}

}  // namespace warpgauge::ci
