// SPDX-License-Identifier: Apache-2.0
#include "ci/init/gate_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "ci/init/filled.hpp"

namespace warpgauge::ci {
namespace {

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

bool has_target(const Repository& repository) { return !repository.target.empty(); }

// The function build.
std::string build_function(const Repository& repository) {
  if (!is_compiled(repository)) return filled("gate_unbuilt.sh.in");
  const bool own = has_target(repository);
  std::string options;
  for (const std::string& each : repository.switches) options += fmt::format(" -D{}=ON", each);
  const bool passes = takes_gpu(repository) && (!own || repository.architectures_of_preset);
  if (passes && !repository.architectures.empty()) {
    options += fmt::format(" -DCMAKE_CUDA_ARCHITECTURES='{}'", repository.architectures);
  }
  return filled("gate_build.sh.in",
                {{"ALIGNED", takes_gpu(repository) ? "" : filled("gate_aligned.sh.in")},
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

// The head of the script, up to where its program is found. passed: options of the command.
std::string beginning(const Repository& repository, const char* what, const char* command,
                      const std::vector<std::string>& passed) {
  const bool of_kernels = gated_of(repository) == Gated::kernels;
  const bool code = gates_machine_code(repository);
  std::string usage = has_benchmark(repository) ? kBuildUsage : "";
  if (code) usage += kMachineCodeUsage;
  if (!of_kernels) usage += std::string(kAgainstUsage) + kCheckUsage;
  std::string target;
  if (is_compiled(repository)) {
    target =
        fmt::format("target={}\n", has_target(repository) ? repository.target : "warpgauge_bench");
  }
  std::string build;
  if (has_benchmark(repository)) {
    build = build_function(repository) + filled("gate_build_only.sh.in");
  }
  return filled("gate_begin.sh.in",
                {{"WHAT", what},
                 {"COMMAND", command},
                 {"PASSED", fmt::format("{}", fmt::join(passed, "|"))},
                 {"PASSED_IN_WORDS", fmt::format("{}", fmt::join(passed, ", "))},
                 {"MORE_PASSED", code ? filled("gate_machine_code_early.sh.in") : ""},
                 {"USAGE", usage},
                 {"ENVIRONMENT", environment_usage(repository)},
                 {"TARGET", target},
                 {"BASELINES", folder_of_baselines(repository)},
                 {"CODE_BASELINES", code ? "code_baselines=baselines/machine_code\n" : ""},
                 {"AS_GIVEN", of_kernels ? "" : filled("gate_as_given.sh.in")},
                 {"BEGIN", filled("begin.sh.in")},
                 {"SET_ASIDE", filled("gate_set_aside.sh.in")},
                 {"BUILD", build},
                 {"PROGRAM", filled("program.sh.in")}});
}

std::string script_of_program(const Repository& repository) {
  Words words{{"BEGIN", beginning(repository, "kernels", "gate", {"--baselines", "--out"})},
              {"MACHINE_CODE", ""},
              {"PREPARE", has_benchmark(repository) ? "build\n" : ""},
              {"SAMPLE", sample_lines(repository)},
              {"COMMAND", "build/your_program"}};
  if (gates_machine_code(repository)) {
    words["MACHINE_CODE"] = filled(
        "gate_machine_code.sh.in",
        {{"COMPARE",
          filled("gate_compare.sh.in", {{"BASELINES", "\"$code_baselines\""}, {"LOOKS", ""}})}});
  }
  if (repository.kind == Kind::cuda) words["COMMAND"] = "\"$benchmark\"";
  if (repository.kind == Kind::triton) words["PREPARE"] = filled("gate_autotuned.sh.in");
  if (of_google_benchmark(repository)) {
    words["PREPARE"] += filled("gate_equally_often.sh.in");
    words["COMMAND"] = "\"$benchmark\" --benchmark_min_time=20x";
  }
  if (!has_benchmark(repository) && !sample_of(repository).empty()) {
    words["COMMAND"] = "python3 " + sample_of(repository);
  }
  return filled("gate_program.sh.in", words);
}

std::string script_of_imported(const Repository& repository) {
  Words words{{"BEGIN", beginning(repository, "benchmarks", "compare",
                                  {"--looks", "--listed", "--baselines", "--identity-from",
                                   "--json", "--summary"})},
              {"PREPARE", filled("gate_build_checked.sh.in")},
              {"OPTIONS", ""},
              {"PROCESSES", kNvbenchProcesses},
              {"EARLY", ""},
              {"COMMAND", "\"$benchmark\" --jsonbin \"results/runs/$run.json\""}};
  if (gated_of(repository) == Gated::cpu_times) {
    words["PROCESSES"] = kCpuProcesses;
    words["EARLY"] = filled("gate_cpu_early.sh.in");
    words["PREPARE"] = filled("gate_build_asked.sh.in") + filled("gate_cpu.sh.in");
    // Other programs take wall clock from a benchmark, and little of its CPU time.
    words["OPTIONS"] = "--device \"${device:-$(uname -m)}\" --time cpu ";
    words["COMMAND"] =
        "\"$benchmark\" --benchmark_out=\"results/runs/$run.json\" --benchmark_out_format=json "
        "\"${interleaved[@]}\"";
  }
  words["LAY_OUT"] = filled("lay_out.sh.in");
  // Turns compare files, and edits are those of the baselines.
  words["COMPARE"] = filled("gate_compare.sh.in",
                            {{"BASELINES", "\"$before\""},
                             {"LOOKS", " --looks 5 ${against:+\"--baselines=$baselines\"}"}});
  return filled("gate_imported.sh.in", words);
}

}  // namespace

std::string folder_of_baselines(const Repository& repository) {
  switch (gated_of(repository)) {
    case Gated::nvbench_times:
      return "baselines/nvbench";
    case Gated::cpu_times:
      return "baselines/google_benchmark";
    case Gated::kernels:
      break;
  }
  return "baselines/bench";
}

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
