// SPDX-License-Identifier: Apache-2.0
// A program to measure in place of a suite: `warpgauge run -- COMMAND…`.
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

// After add_suite_options(), whose --suite is then one of two ways.
void add_program(CLI::App& command, ProgramCommand& program);

// --skip-until and --injection alone.
void add_program_options(CLI::App& command, ProgramCommand& program);

// Takes what both have from the command's options. Throws Error (usage) where neither a suite nor a
// program is given, both are, or with a program an option that is a suite's.
void check_program(const CLI::App& command, ProgramCommand& program);

// Once settle_effort() has set the run's processes. Throws Error (usage) for too few of them.
[[nodiscard]] ProgramOptions program_options(const ProgramCommand& program,
                                             const SuiteOptions& options, const Policy& policy);

}  // namespace warpgauge::ci
