// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/import_command.hpp"

#include <fmt/format.h>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {

int import_command(const ImportCommandOptions& options) {
  const Imports imports = import_files(options.options);
  results::write_file_atomically(options.out, imports.text);
  const auto processes = static_cast<std::size_t>(imports.session.processes);
  fmt::print("{}: {} of {} in {} on {}, {} failed\n", options.out.string(),
             counted(imports.benchmarks, "benchmark"), one_line(imports.session.imported->program),
             processes == 1 ? "1 process" : fmt::format("{} processes", processes),
             one_line(imports.session.device.name), imports.failed);
  if (processes == 1 && options.advise) {
    fmt::print(
        "one process says nothing of how processes differ: for verdicts on time, run it "
        "several times and import all of the files\n");
  }
  return imports.failed == 0 ? kExitPass : kExitNotMeasured;
}

}  // namespace warpgauge::ci
