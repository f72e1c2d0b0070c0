// SPDX-License-Identifier: Apache-2.0
// How NVIDIA's profilers are started on one benchmark.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

enum class ProfilerTool { ncu, nsys };

struct ProfileOptions {
  std::filesystem::path suite;
  std::string id;
  ProfilerTool tool = ProfilerTool::ncu;
  std::string sizes = "gate";                // of which the id is one: see SizeSet
  std::optional<std::filesystem::path> out;  // report to write; absent: as the tool does by itself
  std::vector<std::string> arguments;        // for the tool, beyond those that are needed
};

// The tool and its arguments. It sees one launch of the benchmark, with the clocks as they are:
// ncu would otherwise lock them lower than those at which the gate measures.
[[nodiscard]] std::vector<std::string> profile_command_line(const ProfileOptions& options);

// Becomes the program that the command line names; throws Error when that cannot be started.
[[noreturn]] void become(const std::vector<std::string>& command_line);

}  // namespace warpgauge::ci
