// SPDX-License-Identifier: Apache-2.0
// Starts a program with the library that records, and reads what its processes left.
#pragma once

#include <filesystem>
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

// By which a start counts the kernels' counters.
[[nodiscard]] std::vector<std::string> counting_variables(const ProgramOptions& options);

// Of a start that counts: why what is not counted is not. Empty: its kernels say it.
[[nodiscard]] std::string why_not_counted(const std::vector<launches::ProcessRecords>& processes);

}  // namespace warpgauge::ci
