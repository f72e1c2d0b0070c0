// SPDX-License-Identifier: Apache-2.0
// What every subcommand gets: how much is said and where, and where it leaves its work until the
// whole command line is understood.
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
  // program: as it was called, for commands that reports name.
  explicit Context(std::string program);

  // If this subcommand is the one that is called, run() does this work, which returns an exit
  // status or throws Error, results::FileError or results::FormatError.
  void on_call(CLI::App& command, std::function<int()> work);

  // Lets a measurement say on standard error how it goes, unless --quiet is given.
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
