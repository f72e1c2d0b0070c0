// SPDX-License-Identifier: Apache-2.0
// A program to measure instead of a suite: `warpgauge run -- COMMAND…`.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/measure/program/program_measurement.hpp"
#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

struct ProgramCommand {
  std::vector<std::string> words;  // empty: a suite is measured
  std::string skip_until;
  bool counters = false;            // whether --counters is given
  std::vector<std::string> lines;   // kernels whose source lines are counted
  std::filesystem::path injection;  // empty: that of this installation

  [[nodiscard]] bool given() const { return !words.empty(); }
};

// To be called after add_suite_options(), whose --suite is then one of two ways.
void add_program(CLI::App& command, ProgramCommand& program);

// Adds only --skip-until and --injection.
void add_program_options(CLI::App& command, ProgramCommand& program);

// Reads the options that both have. Throws Error (usage) if neither a suite nor a program is given,
// or both, or a program with an option of a suite.
void check_program(const CLI::App& command, ProgramCommand& program);

// To be called after settle_effort() has set the run's processes. Throws Error (usage) for too few.
[[nodiscard]] ProgramOptions program_options(const ProgramCommand& program,
                                             const SuiteOptions& options, const Policy& policy);

}  // namespace warpgauge::ci
