// SPDX-License-Identifier: Apache-2.0
// What every subcommand gets: how much is said and where, and where it leaves its work until the
// whole command line is understood.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ci/measure/measurement.hpp"
#include "ci/measure/progress.hpp"

namespace CLI {
class App;
}

namespace warpgauge::ci {

class Context {
 public:
  // words: of the command line, the first as this program was called.
  explicit Context(std::vector<std::string> words);

  // If this subcommand is the one that is called, run() does this work, which returns an exit
  // status or throws Error, results::FileError or results::FormatError.
  void on_call(CLI::App& command, std::function<int()> work);

  // Lets a measurement say on standard error how it goes, unless --quiet is given.
  void follow(RunOptions& run);

  // After the command line is parsed: does the work of the subcommand that was called.
  [[nodiscard]] int run();

  // As this program was called, for commands that reports name.
  [[nodiscard]] const std::string& program() const { return words_.front(); }
  // For a program that starts itself again: without --quiet and --verbose.
  [[nodiscard]] std::vector<std::string> arguments() const;

  bool quiet = false;
  bool verbose = false;

 private:
  std::vector<std::string> words_;
  ProgressDisplay display_;
  std::function<int()> work_;
};

}  // namespace warpgauge::ci
