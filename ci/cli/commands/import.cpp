// SPDX-License-Identifier: Apache-2.0
// `warpgauge import`.
#include "ci/import/import.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/revision/cmake_cache.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportExamples =
    "Examples:\n"
    "  warpgauge import run1.json run2.json run3.json --out results.json\n"
    "  warpgauge import ncu.csv --device 'NVIDIA H200'\n"
    "  warpgauge import run*.json --device 'my runner' --time cpu\n"
    "  warpgauge approve results.json --baselines baselines-nvbench --reason 'the first'\n"
    "  warpgauge compare baselines-nvbench results.json";

struct ImportCommand {
  ImportOptions read;
  bool of_checkout = false;
  fs::path executable;  // empty: not known
  fs::path out = "results.json";
};

// advise: what to do better next time.
int import_results(const ImportCommand& options, bool advise) {
  ImportOptions read = options.read;
  if (options.of_checkout) read.source = current_source();
  if (const auto build = cmake_cache_of(options.executable)) read.toolchain = toolchain_of(*build);
  const Imports imports = import_files(read);
  std::vector<std::string> names;
  for (const fs::path& file : options.read.files) names.push_back(file.string());
  refuse_odd_time(some_of(names, 3), imports.session);
  results::write_file_atomically(options.out, imports.text);
  const auto processes = static_cast<std::size_t>(imports.session.processes);
  fmt::print("{}: {} of {} in {} on {}, {} failed\n", options.out.string(),
             counted(imports.benchmarks, "benchmark"), one_line(imports.session.imported->program),
             processes == 1 ? "1 process" : fmt::format("{} processes", processes),
             one_line(imports.session.device.name), imports.failed.size());
  if (!imports.failed.empty()) fmt::print("failed: {}\n", some_of(imports.failed, 3, "; "));
  if (processes == 1 && advise) {
    fmt::print(
        "one process does not show how processes differ: for verdicts on time, run it several "
        "times and import all files\n");
  }
  if (!imports.waiting.empty() && advise) {
    fmt::print(
        "CPU time is less than half of wall clock in {}: {} or other threads work; "
        "->UseRealTime() in the benchmark has it judged by wall clock\n",
        some_of(imports.waiting, 3), imports.waiting.size() == 1 ? "it waits," : "they wait,");
  }
  return imports.failed.empty() ? kExitPass : kExitNotMeasured;
}

}  // namespace

void add_import(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "import",
      "Turns the output of NVBench, ncu, BabelStream or Google Benchmark into a results file");
  const auto options = std::make_shared<ImportCommand>();
  command
      .add_option(
          "FILE", options->read.files,
          "Each is the output of one process; several files are the processes of one session")
      ->required();
  command
      .add_option("--format", options->read.format,
                  "Format of the files (default: recognised by their content)")
      ->check(CLI::IsMember(import_formats()));
  command.add_option("--device", options->read.device,
                     "Name of the device, if the files do not say it; if they have several, the "
                     "number or name of one");
  command
      .add_option_function<std::string>(
          "--time",
          [options](const std::string& which) { options->read.cpu_time = which == "cpu"; },
          "Which time of Google Benchmark is gated: cpu, what the processor worked, which differs "
          "less on a busy machine; or wall. Benchmarks with several threads, ->UseRealTime() or "
          "->UseManualTime() keep wall clock. The other time is only shown (default: wall)")
      ->type_name("TIME")
      ->check(CLI::IsMember({"cpu", "wall"}));
  command.add_flag("--of-checkout", options->of_checkout,
                   "What is checked out in the current folder was measured: records its commit "
                   "(default: none, since no file says it)");
  command
      .add_option("--executable", options->executable,
                  "The program that was measured: records compiler, build type and flags of the "
                  "CMake build that it lies in (default: none, since no file says it)")
      ->check(CLI::ExistingFile);
  command
      .add_option("--turns", options->read.turns,
                  "The files are one of two sides that ran in turns: A, the one before, or B; then "
                  "what both share and no other run has. compare judges the two by their processes "
                  "alone, as of one session")
      ->type_name("'A ID'")
      ->check(CLI::Validator(
          [](const std::string& turns) {
            const bool is_side = turns.starts_with("A ") || turns.starts_with("B ");
            return is_side && turns.size() > 2
                       ? ""
                       : fmt::format(
                             "'{}' is no side: give A or B and what both sides share, as in "
                             "'B of 2026-11-29'",
                             one_line(turns));
          },
          ""));
  command.add_option("--out", options->out, "Results file to write")->capture_default_str();
  command.footer(kImportExamples);
  context.on_call(command,
                  [options, &context] { return import_results(*options, !context.quiet); });
}

}  // namespace warpgauge::ci
