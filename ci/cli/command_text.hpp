// SPDX-License-Identifier: Apache-2.0
// The declared command line as plain data, for what describes it: the manual page, completion in
// shells.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpgauge::ci {

struct OptionText {
  std::vector<std::string> names;  // "-h", "--help"; of a positional, "RESULTS"
  std::string value;               // what it takes, "INT in [1 - 1000]"; empty: nothing
  std::vector<std::string> choices;
  std::string initial;  // without it; empty: untold
  bool required = false;
  bool repeated = false;
  std::string description;
};

struct CommandText {
  std::string path;  // "baseline list"; empty: the program itself
  std::string description;
  std::string footer;  // examples, exit statuses
  std::vector<OptionText> positionals;
  std::vector<OptionText> options;
  std::vector<CommandText> commands;  // without those that are hidden
};

[[nodiscard]] OptionText option_text(const CLI::Option& option);
[[nodiscard]] CommandText command_text(const CLI::App& app);

// The command itself and all below it, in order.
[[nodiscard]] std::vector<const CommandText*> all_commands(const CommandText& program);

}  // namespace warpgauge::ci
