// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/profile.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ci/support/errors.hpp"
#include "ci/support/process/process.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

std::vector<std::string> profile_command_line(const ProfileOptions& options) {
  const std::string range = results::range_name(options.id);
  std::vector<std::string> line;
  if (options.tool == ProfilerTool::ncu) {
    // The slash says that the range is one of those that are pushed and popped.
    line = {"ncu",
            "--nvtx",
            "--nvtx-include",
            fmt::format("{}@{}/", results::kRangeDomain, range),
            "--clock-control",
            "none"};
    if (options.out) {
      line.insert(line.end(), {"--force-overwrite", "--export", options.out->string()});
    }
  } else {
    line = {"nsys", "profile", "--trace=cuda,nvtx", "--capture-range=nvtx",
            fmt::format("--nvtx-capture={}@{}", range, results::kRangeDomain)};
    if (options.out) {
      line.insert(line.end(), {"--force-overwrite=true", "--output=" + options.out->string()});
    }
  }
  line.insert(line.end(), options.arguments.begin(), options.arguments.end());
  // A bare name would be looked for on the PATH.
  line.push_back(std::filesystem::absolute(options.suite).string());
  line.emplace_back("--warpgauge_profile");
  if (options.sizes != "gate") line.push_back("--warpgauge_sizes=" + options.sizes);
  line.push_back(fmt::format("--benchmark_filter=^{}/iterations:", options.id));
  return line;
}

void become(const std::vector<std::string>& command_line) {
  ChildLog::starts(command_line.front(), {command_line.begin() + 1, command_line.end()});
  std::vector<char*> arguments;
  arguments.reserve(command_line.size() + 1);
  for (const std::string& each : command_line) {
    arguments.push_back(const_cast<char*>(each.c_str()));  // which exec only reads
  }
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  throw Error(kExitNotMeasured,
              fmt::format("cannot start {}: {}; it comes with the CUDA toolkit or Nsight: put its "
                          "folder on the PATH",
                          command_line[0], std::generic_category().message(errno)));
}

}  // namespace warpgauge::ci
