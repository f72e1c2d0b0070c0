// SPDX-License-Identifier: Apache-2.0
// Starts a program with the library that records, and reads what its processes left.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "ci/measure/program/program_measurement.hpp"
#include "profiling/results/launches/record_reader.hpp"

namespace warpgauge::ci {

// The command as for a shell, with paths below the current folder as seen from it.
[[nodiscard]] std::string shell_text(const std::vector<std::string>& command);

// Records of its processes, the first one first; machine code lies in the folder. variables:
// further ones, "NAME=value". Throws Error (not measured) where it cannot be started or fails.
[[nodiscard]] std::vector<launches::ProcessRecords> start_program(
    const ProgramOptions& options, const std::filesystem::path& program,
    const std::filesystem::path& folder, const std::vector<std::string>& variables);

// By which a start counts the kernels' counters, and the lines of the kernel of this symbol.
[[nodiscard]] std::vector<std::string> variables_of_counters(const ProgramOptions& options);
[[nodiscard]] std::vector<std::string> variables_of_lines(const std::string& symbol);

// Of a start that ended well and recorded nothing.
[[nodiscard]] std::string why_no_cuda();

// Of a start that counts: why what is not counted is not. Empty: its kernels say it.
[[nodiscard]] std::string why_not_counted(const std::vector<launches::ProcessRecords>& processes);

// Symbols of the kernels that were launched and have this name, whole or short, with or without its
// template arguments, or this id. Throws Error (usage) where there is none.
[[nodiscard]] std::set<std::string> symbols_of(const std::string& kernel,
                                               const ProgramStart& start);

}  // namespace warpgauge::ci
