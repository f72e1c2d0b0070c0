// SPDX-License-Identifier: Apache-2.0
// `warpgauge static`.
#include <memory>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/static_results.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStaticExamples =
    "Examples:\n"
    "  warpgauge static --image kernels.cubin --out results.json\n"
    "  warpgauge static --image suite_gpu --suite suite_emulated --out results.json\n"
    "  warpgauge compare baselines results.json";

struct StaticCommand {
  StaticOptions read;
  fs::path out = "results.json";
};

int read_machine_code(const StaticCommand& options) {
  results::require_writable(options.out);
  return deliver_run(static_results(options.read), options.out);
}

}  // namespace

void add_static(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "static", "Reads what kernels take of a GPU out of machine code; needs no GPU");
  const auto options = std::make_shared<StaticCommand>();
  command
      .add_option("--image", options->read.images,
                  "Cubin, or program of nvcc's made with --no-compress")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--suite", options->read.run.suite,
                     "The emulator's suite, whose benchmarks say which kernels belong to "
                     "them (default: each kernel is a benchmark)");
  command.add_option("--architecture", options->read.architecture,
                     "sm_90, say, where images have several (default: the newest)");
  add_filter(command, options->read.run.filter);
  add_timeout(command, options->read.run);
  command.add_option("--out", options->out, "Results file to write")->capture_default_str();
  command.footer(kStaticExamples);
  context.on_call(command, [options, &context] {
    context.follow(options->read.run);
    return read_machine_code(*options);
  });
}

}  // namespace warpgauge::ci
