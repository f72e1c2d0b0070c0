// SPDX-License-Identifier: Apache-2.0
// What every subcommand gets: how much to print and where, and where to leave its work until the
// whole command line is parsed.
#pragma once

#include <functional>
#include <string>

#include "ci/measure/measurement.hpp"
#include "ci/measure/suite/progress.hpp"

namespace CLI {
class App;
}

namespace warpgauge::ci {

class Context {
 public:
  // program: the name it was called by, for commands that reports name.
  explicit Context(std::string program);

  // If this subcommand is called, run() does this work. It returns an exit status, or throws Error,
  // results::FileError or results::FormatError.
  void on_call(CLI::App& command, std::function<int()> work);

  // Lets a measurement report its progress on standard error, unless --quiet is given.
  void follow(RunOptions& run);

  // After the command line is parsed: does the work of the subcommand that was called.
  [[nodiscard]] int run();

  [[nodiscard]] const std::string& program() const { return program_; }

  bool quiet = false;
  bool verbose = false;

 private:
  std::string program_;
  ProgressDisplay display_;
  std::function<int()> work_;
};

}  // namespace warpgauge::ci
