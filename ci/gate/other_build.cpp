// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/other_build.hpp"

#include <fmt/format.h>

#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

namespace fs = std::filesystem;

RunOptions run_of_build(const RunOptions& run, const fs::path& build, const char* option) {
  const bool is_suite = fs::is_regular_file(build);
  const fs::path bin = is_suite ? build.parent_path() : build / "bin";
  const auto built = [&](const fs::path& here, const char* asked_by) {
    fs::path there = bin / here.filename();
    if (fs::is_regular_file(there)) return there;
    throw Error(kExitUsage,
                fmt::format("{} {}: there is no {}, as {} {} asks for; name the folder of a build, "
                            "an unpacked bundle or a suite",
                            option, build.string(), there.string(), asked_by, here.string()));
  };
  RunOptions other = run;
  other.suite = is_suite ? build : built(run.suite, "--suite");
  for (fs::path& each : other.machine_code) {
    each = each == run.suite ? other.suite : built(each, "--machine-code");
  }
  return other;
}

results::Source source_of_build(const RunOptions& run) {
  return Suite(run.suite, run.timeout.value_or(kSuiteTimeout)).describe().source;
}

}  // namespace warpgauge::ci
