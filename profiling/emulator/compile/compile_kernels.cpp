// SPDX-License-Identifier: Apache-2.0
// compile_kernels COMPILER ARGUMENT...
//
// Runs the compiler, g++, on a source that may launch kernels by <<<>>>. Rewrites the
// preprocessor's output first (launch_rewriter.hpp), which includes launches in headers and macros.
// Lines keep their numbers. Runs a command that compiles nothing unchanged.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "profiling/emulator/compile/launch_rewriter.hpp"

namespace {

using Command = std::vector<std::string>;

// Its exit status.
int run(Command command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (error != 0) {
    throw std::runtime_error("cannot run " + command[0] + ": " +
                             std::generic_category().message(error));
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("lost " + command[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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
Command without_dependencies(const Command& command) {
  Command rest;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument == "-MF" || argument == "-MT" || argument == "-MQ") {
      ++i;
    } else if (argument != "-MD" && argument != "-MMD" && argument != "-MP") {
      rest.push_back(argument);
    }
  }
  return rest;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string read() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  void write(const std::string& text) const {
    std::ofstream file(path_);
    file << text;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path_);
  }

 private:
  std::string path_;
};

int compile(const Command& command) {
  Compilation compilation;
  if (!find_compilation(command, compilation)) return run(command);

  const TemporaryFile preprocessed(command[compilation.output] + ".ii");
  Command preprocess = command;
  preprocess[compilation.compile] = "-E";
  preprocess[compilation.output] = preprocessed.path();
  if (const int status = run(preprocess); status != 0) return status;

  const auto rewritten = warpgauge::emulator::rewrite_launches(preprocessed.read());
  if (!rewritten) return run(command);
  preprocessed.write(*rewritten);
  Command rest = command;
  rest[compilation.compile] = "-c";
  rest[compilation.compile + 1] = preprocessed.path();
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(compilation.compile),
              {"-x", "c++-cpp-output"});
  return run(without_dependencies(rest));
}

}  // namespace

int main(int argc, char** argv) {
  const Command command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fputs("compile_kernels: needs a compiler and its arguments\n", stderr);
    return 64;
  }
  try {
    return compile(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compile_kernels: %s\n", error.what());
    return 1;
  }
}
