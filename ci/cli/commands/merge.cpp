// SPDX-License-Identifier: Apache-2.0
// `warpgauge merge`.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/measure/merge_shards.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMergeExample =
    "Example:\n"
    "  warpgauge run --suite suite_emulated --shard 1/2 --out shard-1.json\n"
    "  warpgauge run --suite suite_emulated --shard 2/2 --out shard-2.json\n"
    "  warpgauge merge shard-1.json shard-2.json --out results.json";

struct MergeCommand {
  std::vector<fs::path> files;
  fs::path out = "results.json";
};

int merge(const MergeCommand& options) {
  const results::RunRecord run = merge_shards(options.files);
  refuse_odd_time("the merged shards", run.session);
  write_run(options.out, run);
  const results::Results results = results_from(run, options.out.string());
  const std::size_t failed = failed_in(results);
  fmt::print("{}: {} of {} on {}, {} failed\n", options.out.string(),
             counted(results.benchmarks.size(), "benchmark"),
             counted(options.files.size(), "shard"),
             counted(std::max<std::size_t>(run.session.dies.size(), 1), "device"), failed);
  return failed == 0 ? kExitPass : kExitNotMeasured;
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  CLI::App& command =
      *program.add_subcommand("merge", "Joins the shards of a run into one results file");
  const auto options = std::make_shared<MergeCommand>();
  command
      .add_option("FILE", options->files, "The files that run --shard wrote: all shards of one run")
      ->required();
  command.add_option("--out", options->out, "Results file to write")->capture_default_str();
  command.footer(kMergeExample);
  context.on_call(command, [options] { return merge(*options); });
}

}  // namespace warpgauge::ci
