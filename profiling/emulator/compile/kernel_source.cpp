// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/kernel_source.hpp"

#include <algorithm>
#include <cstdio>

#include "profiling/emulator/compile/byte_copies.hpp"
#include "profiling/emulator/compile/cluster_dims.hpp"
#include "profiling/emulator/compile/kernel_casts.hpp"
#include "profiling/emulator/compile/launch_rewriter.hpp"
#include "profiling/emulator/compile/qualifiers.hpp"
#include "profiling/emulator/compile/refusals.hpp"

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
int run_and_tell(const Command& command, const TemporaryFile& said) {
  const int status = run_into(command, Stream::error, said.path());
  const std::string errors = read_file(said.path());
  const std::string refusal = status == 0 ? "" : refusal_in(errors);
  std::fputs(refusal.empty() ? errors.c_str() : (refusal + "\n").c_str(), stderr);
  return status;
}

}  // namespace

int compile_kernel_source(const Command& command) {
  Compilation compilation;
  if (!find_compilation(command, compilation)) return run(command);

  const TemporaryFile preprocessed(command[compilation.output] + ".ii");
  const TemporaryFile errors(command[compilation.output] + ".errors");
  Command preprocess = command;
  preprocess[compilation.compile] = "-E";
  preprocess[compilation.output] = preprocessed.path();
  if (const int status = run_and_tell(preprocess, errors); status != 0) return status;

  Command rest = without_preprocessing(command);
  if (!find_compilation(rest, compilation)) return run(command);
  const std::string text = read_file(preprocessed.path());
  const std::string with_attributes =
      rewrite_cluster_dims(rewrite_kernel_casts(rewrite_byte_copies(rewrite_qualifiers(text))));
  const auto rewritten = rewrite_launches(with_attributes);
  if (!rewritten && with_attributes == text) return run_and_tell(command, errors);
  write_file(preprocessed.path(), rewritten.value_or(with_attributes));
  rest[compilation.compile + 1] = preprocessed.path();
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(compilation.compile),
              {"-x", "c++-cpp-output"});
  return run_and_tell(rest, errors);
}

}  // namespace warpgauge::emulator
