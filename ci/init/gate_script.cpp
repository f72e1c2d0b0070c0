// SPDX-License-Identifier: Apache-2.0
#include "ci/init/gate_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "ci/init/filled.hpp"

namespace warpgauge::ci {
namespace {

// Google Benchmark's file does not say on what it was measured.
constexpr const char* kDevice =
    "device=${WARPGAUGE_DEVICE:-$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | "
    "head -n 1 || true)}\n";

constexpr const char* kEquallyOften =
    "# Each process runs each benchmark equally often, so that all launch the same; one with a "
    "warm-up "
    "time does not.\n"
    "# Benchmarks that launch no kernel end with 4: gate their CPU time instead, by warpgauge "
    "import.\n"
    "help=$(\"$benchmark\" --help 2>&1) || true\n"
    "[[ $help == *'<integer>x'* ]] || {\n"
    "  printf '%s\\n' \"$help\" >&2\n"
    "  die 4 \"the --help of $benchmark, above, has no --benchmark_min_time=<integer>x: build it "
    "with Google Benchmark 1.8 or newer\"\n"
    "}\n";

// A neighbour slows a processor down for seconds: many short processes find it free more often than
// a few long ones. Google Benchmark before 1.6 cannot repeat all benchmarks in one random order.
constexpr const char* kInterleaved =
    "# Many short processes, of which the fastest quarter counts: these met a processor that "
    "nobody slowed down.\n"
    "interleaved=()\n"
    "if [[ $(\"$benchmark\" --help 2>&1 || true) == *enable_random_interleaving* ]]; then\n"
    "  interleaved=(--benchmark_repetitions=3 --benchmark_min_time=0.02 "
    "--benchmark_enable_random_interleaving=true)\n"
    "fi\n";

constexpr const char* kFewestForQuarter =
    "((processes >= 12)) || echo \"$0: of fewer than 12 processes all count, slowed down by others "
    "or not; from 12 on the fastest quarter counts alone\" >&2\n";

constexpr const char* kNvbenchProcesses = "5";
constexpr const char* kCpuProcesses = "20";
constexpr const char* kProcessesUsage =
    "#     WARPGAUGE_PROCESSES=NUMBER   how many processes a measurement begins with, else {}\n";
constexpr const char* kDeviceUsage =
    "#     WARPGAUGE_DEVICE=NAME   the name of this machine's baselines, else the processor's\n";

constexpr const char* kMachineCodeUsage =
    "#   bash ci/warpgauge.sh --machine-code [options of `warpgauge compare`]   # needs no GPU\n";
constexpr const char* kAgainstUsage =
    "#   bash ci/warpgauge.sh --against REVISION [options]   # builds and measures both now, "
    "without "
    "baselines\n";
constexpr const char* kCheckUsage =
    "#   bash ci/warpgauge.sh --check [options]   # says what is wrong in them, and measures "
    "nothing\n"
    "#   bash ci/warpgauge.sh --filter REGEX   # judges these benchmarks alone; all are measured\n";
constexpr const char* kBuildUsage = "#   bash ci/warpgauge.sh --build   # measures nothing\n";

bool of_google_benchmark(const Repository& repository) {
  return repository.kind == Kind::google_benchmark;
}

// A program that the script compiles, or is told where to find.
bool has_benchmark(const Repository& repository) {
  return is_compiled(repository) || of_google_benchmark(repository) ||
         repository.kind == Kind::nvbench;
}

// The function build.
std::string build_function(const Repository& repository) {
  if (!is_compiled(repository)) return filled("gate_unbuilt.sh.in");
  const bool own = !repository.target.empty();
  std::string options;
  for (const std::string& each : repository.switches) options += fmt::format(" -D{}=ON", each);
  const bool passes = takes_gpu(repository) && (!own || repository.architectures_of_preset);
  if (passes && !repository.architectures.empty()) {
    options += fmt::format(" -DCMAKE_CUDA_ARCHITECTURES='{}'", repository.architectures);
  }
  return filled("gate_build.sh.in", {{"TARGET", own ? repository.target : "warpgauge_bench"},
                                     {"SOURCE", own ? repository.source : "bench/warpgauge"},
                                     {"OPTIONS", options}});
}

// What the script reads from the environment beyond what each of them does.
std::string environment_usage(const Repository& repository) {
  switch (gated_of(repository)) {
    case Gated::kernels:
      return "";
    case Gated::nvbench_times:
      return fmt::format(kProcessesUsage, kNvbenchProcesses);
    case Gated::cpu_times:
      break;
  }
  return fmt::format(kProcessesUsage, kCpuProcesses) + kDeviceUsage;
}

// The head of the script, up to where warpgauge is found. passed: options of the command.
std::string beginning(const Repository& repository, const char* what, const char* command,
                      const std::vector<std::string>& passed) {
  std::string usage = has_benchmark(repository) ? kBuildUsage : "";
  if (gates_machine_code(repository)) usage += kMachineCodeUsage;
  if (gated_of(repository) != Gated::kernels) usage += std::string(kAgainstUsage) + kCheckUsage;
  const std::string more_passed =
      gates_machine_code(repository)
          ? "[[ ${1:-} != --machine-code ]] || passed+='|--listed|--json|--summary'\n"
          : "";
  std::string build;
  if (has_benchmark(repository)) {
    build = build_function(repository) + filled("gate_build_only.sh.in");
  }
  return filled("gate_begin.sh.in",
                {{"WHAT", what},
                 {"COMMAND", command},
                 {"PASSED", fmt::format("{}", fmt::join(passed, "|"))},
                 {"PASSED_IN_WORDS", fmt::format("{}", fmt::join(passed, ", "))},
                 {"MORE_PASSED", more_passed},
                 {"USAGE", usage},
                 {"ENVIRONMENT", environment_usage(repository)},
                 {"BEGIN", filled("begin.sh.in", {{"BUILD", build}})}});
}

std::string script_of_program(const Repository& repository) {
  Words words{{"BEGIN", beginning(repository, "kernels", "gate", {"--baselines", "--out"})},
              {"BASELINES", "baselines/bench"},
              {"MACHINE_CODE", ""},
              {"PREPARE", has_benchmark(repository) ? "build\n" : ""},
              {"SAMPLE", sample_lines(repository)},
              {"COMMAND", "build/your_program"}};
  if (gates_machine_code(repository)) {
    const Words of_code{{"BASELINES", "baselines/machine_code"}, {"LOOKS", ""}};
    words["MACHINE_CODE"] =
        filled("gate_machine_code.sh.in", {{"BASELINES", of_code.at("BASELINES")},
                                           {"COMPARE", filled("gate_compare.sh.in", of_code)}});
  }
  if (repository.kind == Kind::cuda) words["COMMAND"] = "\"$benchmark\"";
  if (of_google_benchmark(repository)) {
    words["PREPARE"] += kEquallyOften;
    words["COMMAND"] = "\"$benchmark\" --benchmark_min_time=20x";
  }
  if (!has_benchmark(repository) && !sample_of(repository).empty()) {
    words["COMMAND"] = "python3 " + sample_of(repository);
  }
  return filled("gate_program.sh.in", words);
}

std::string script_of_imported(const Repository& repository) {
  Words words{{"BEGIN", beginning(repository, "benchmarks", "compare",
                                  {"--looks", "--listed", "--baselines", "--json", "--summary"})},
              {"BASELINES", "baselines/nvbench"},
              {"PREPARE", filled("gate_build_checked.sh.in")},
              {"OPTIONS", ""},
              {"PROCESSES", kNvbenchProcesses},
              {"FEWEST", ""},
              {"COMMAND", "\"$benchmark\" --jsonbin \"results/runs/$run.json\""}};
  if (gated_of(repository) == Gated::cpu_times) {
    words["BASELINES"] = "baselines/google_benchmark";
    words["PROCESSES"] = kCpuProcesses;
    words["FEWEST"] = kFewestForQuarter;
    words["PREPARE"] = filled("gate_build_asked.sh.in") + kDevice + kInterleaved;
    // Other programs take wall clock from a benchmark, and little of its CPU time.
    words["OPTIONS"] = "--device \"${device:-$(uname -m)}\" --time cpu ";
    words["COMMAND"] =
        "\"$benchmark\" --benchmark_out=\"results/runs/$run.json\" --benchmark_out_format=json "
        "\"${interleaved[@]}\"";
  }
  words["LAY_OUT"] = filled("lay_out.sh.in");
  // Turns compare files, and edits are those of the baselines.
  const std::string looks =
      fmt::format(" --looks 5 ${{against:+\"--baselines={}\"}}", words.at("BASELINES"));
  const Words of_comparison{{"BASELINES", "\"$before\""}, {"LOOKS", looks}};
  words["COMPARE"] = filled("gate_compare.sh.in", of_comparison);
  return filled("gate_imported.sh.in", words);
}

}  // namespace

Gated gated_of(const Repository& repository) {
  if (repository.kind == Kind::nvbench) return Gated::nvbench_times;
  return of_google_benchmark(repository) && !repository.cuda ? Gated::cpu_times : Gated::kernels;
}

bool is_compiled(const Repository& repository) {
  return repository.kind == Kind::cuda || !repository.target.empty();
}

bool takes_gpu(const Repository& repository) { return gated_of(repository) != Gated::cpu_times; }

bool gates_machine_code(const Repository& repository) {
  return repository.kind == Kind::cuda ||
         (of_google_benchmark(repository) && gated_of(repository) == Gated::kernels);
}

std::string sample_of(const Repository& repository) {
  switch (repository.kind) {
    case Kind::cuda:
      return "bench/warpgauge/bench.cu";
    case Kind::triton:
    case Kind::torch:
      return "bench/warpgauge_bench.py";
    case Kind::nvbench:
    case Kind::google_benchmark:
    case Kind::nothing:
      break;
  }
  return "";
}

std::string sample_lines(const Repository& repository) {
  const std::string sample = sample_of(repository);
  return sample.empty() ? "" : filled("gate_sample.sh.in", {{"SAMPLE", sample}});
}

std::string gate_script(const Repository& repository) {
  return gated_of(repository) == Gated::kernels ? script_of_program(repository)
                                                : script_of_imported(repository);
}

}  // namespace warpgauge::ci
