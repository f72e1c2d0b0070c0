// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/kernel_source.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "profiling/emulator/compile/launch_rewriter.hpp"

namespace warpgauge::emulator {
namespace {

struct Compilation {
  std::size_t compile = 0;  // index of -c, the source behind it
  std::size_t output = 0;   // index of the object
};

bool find_compilation(const Command& command, Compilation& found) {
  const auto compile = std::ranges::find(command, "-c");
  const auto output = std::ranges::find(command, "-o");
  if (command.end() - compile < 2 || command.end() - output < 2) return false;
  found.compile = static_cast<std::size_t>(compile - command.begin());
  found.output = static_cast<std::size_t>(output - command.begin()) + 1;
  return true;
}

// What the preprocessor has done already.
Command without_preprocessing(const Command& command) {
  Command rest;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument == "-MF" || argument == "-MT" || argument == "-MQ" || argument == "-include") {
      ++i;
    } else if (argument != "-MD" && argument != "-MMD" && argument != "-MP") {
      rest.push_back(argument);
    }
  }
  return rest;
}

// Passes on what g++ said, or only what is refused.
void tell(const std::string& errors) {
  const std::string refusal = refusal_in(errors);
  std::fputs(refusal.empty() ? errors.c_str() : (refusal + "\n").c_str(), stderr);
}

}  // namespace

std::string refusal_in(const std::string& errors) {
  constexpr std::string_view kRefused = "error: #error Warpgauge: ";
  constexpr std::string_view kFrom[] = {"In file included from ", "                 from "};
  std::istringstream lines(errors);
  std::string place;  // the outermost file that includes the header
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view from : kFrom) {
      if (!line.starts_with(from)) continue;
      place = line.substr(from.size(), line.find_last_not_of(":,") + 1 - from.size());
    }
    const std::size_t at = line.find(kRefused);
    if (at == std::string::npos) continue;
    return (place.empty() ? "" : place + ": ") + line.substr(at + kRefused.size());
  }
  return "";
}

int compile_kernel_source(const Command& command) {
  Compilation compilation;
  if (!find_compilation(command, compilation)) return run(command);

  const TemporaryFile preprocessed(command[compilation.output] + ".ii");
  const TemporaryFile errors(command[compilation.output] + ".errors");
  Command preprocess = command;
  preprocess[compilation.compile] = "-E";
  preprocess[compilation.output] = preprocessed.path();
  const int status = run_into(preprocess, Stream::error, errors.path());
  tell(read_file(errors.path()));
  if (status != 0) return status;

  Command rest = without_preprocessing(command);
  if (!find_compilation(rest, compilation)) return run(command);
  const auto rewritten = rewrite_launches(read_file(preprocessed.path()));
  if (!rewritten) return run(command);
  write_file(preprocessed.path(), *rewritten);
  rest[compilation.compile + 1] = preprocessed.path();
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(compilation.compile),
              {"-x", "c++-cpp-output"});
  return run(rest);
}

}  // namespace warpgauge::emulator
