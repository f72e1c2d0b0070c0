// SPDX-License-Identifier: Apache-2.0
#include "ci/init/own_benchmarks.hpp"

#include <fmt/format.h>

namespace warpgauge::ci {

namespace {

// 1 would read as a regression: what cannot be built ends with 4.
std::string build_of_target(const Repository& repository) {
  std::string switches;
  for (const std::string& each : repository.switches) switches += fmt::format(" -D{}=ON", each);
  return fmt::format(
      "\n{3}cmake -S {1} -B build/warpgauge -DCMAKE_BUILD_TYPE=Release{2} >/dev/null || exit 4\n"
      "cmake --build build/warpgauge --parallel --target {0} || {{\n"
      "  echo \"$0: {0} was not built; where CMake has no such target, give the first cmake above "
      "the option that adds it, as -DNAME=ON\" >&2\n"
      "  exit 4\n"
      "}}\n"
      "benchmark=$(find build/warpgauge -type f -name {0} -perm -u+x -print -quit ||\n"
      "  true)\n"
      "[[ $benchmark ]] || {{ echo \"$0: there is no {0} below build/warpgauge: name the "
      "executable as "
      "benchmark=\" >&2; exit 4; }}\n{4}",
      repository.target, repository.source, switches, kBeforeCmake, kBuildAlone);
}

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
    "  echo \"$0: the --help of $benchmark, above, has no --benchmark_min_time=<integer>x: build "
    "it "
    "with Google Benchmark 1.8 or newer\" >&2\n"
    "  exit 4\n"
    "}\n";

// Repetitions in a random order of all benchmarks spread what disturbs one moment over all of them.
// Google Benchmark before 1.6 cannot do that.
constexpr const char* kInterleaved =
    "# Repetitions of all benchmarks in one random order: what disturbs the machine for a moment "
    "meets all.\n"
    "interleaved=()\n"
    "if [[ $(\"$benchmark\" --help 2>&1 || true) == *enable_random_interleaving* ]]; then\n"
    "  interleaved=(--benchmark_repetitions=5 --benchmark_min_time=0.1 "
    "--benchmark_enable_random_interleaving=true)\n"
    "fi\n";

}  // namespace

Gated gated_of(const Repository& repository) {
  if (repository.kind == Kind::nvbench) return Gated::nvbench_times;
  return repository.kind == Kind::google_benchmark && !repository.cuda ? Gated::cpu_times
                                                                       : Gated::kernels;
}

bool is_compiled(const Repository& repository) {
  return repository.kind == Kind::cuda || !repository.target.empty();
}

bool takes_gpu(const Repository& repository) { return gated_of(repository) != Gated::cpu_times; }

Words words_of_own_benchmarks(const Repository& repository) {
  Words words{{"OPTIONS", ""}, {"USAGE", is_compiled(repository) ? kBuildUsage : ""}};
  words["BUILD"] = repository.target.empty() ? "\n# Build your benchmarks (`|| exit 4` where that "
                                               "can fail), and name the executable.\n"
                                               "benchmark=build/your_benchmark\n"
                                               "[[ -x $benchmark ]] || { echo \"$0: there is no "
                                               "$benchmark: name the executable as benchmark=\" "
                                               ">&2; exit 4; }\n"
                                             : build_of_target(repository);
  switch (gated_of(repository)) {
    case Gated::nvbench_times:
      words["BASELINES"] = "baselines/nvbench";
      words["COMMAND"] = "\"$benchmark\" --jsonbin \"results/runs/$run.json\"";
      break;
    case Gated::kernels:
      words["BASELINES"] = "baselines/bench";
      words["STATIC"] =
          filled("gate_machine_code.sh.in", {{"PROGRAM", "\"$benchmark\""}}) + kEquallyOften;
      words["USAGE"] += kMachineCodeUsage;
      words["COMMAND"] = "\"$benchmark\" --benchmark_min_time=20x";
      break;
    case Gated::cpu_times:
      words["BASELINES"] = "baselines/google_benchmark";
      words["BUILD"] += kDevice;
      words["BUILD"] += kInterleaved;
      // Other programs take wall clock from a benchmark, and little of its CPU time.
      words["OPTIONS"] = "--device \"${device:-$(uname -m)}\" --time cpu ";
      words["COMMAND"] =
          "\"$benchmark\" --benchmark_out=\"results/runs/$run.json\" --benchmark_out_format=json "
          "\"${interleaved[@]}\"";
      break;
  }
  return words;
}

}  // namespace warpgauge::ci
