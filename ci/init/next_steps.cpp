// SPDX-License-Identifier: Apache-2.0
#include "ci/init/next_steps.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "ci/init/approved.hpp"
#include "ci/init/gate_script.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kMostNamed = 5;

void add(std::vector<NextStep>& steps, std::string text, std::string copy = "") {
  steps.push_back({std::move(text), std::move(copy)});
}

// What nvcc compiles for decides what is measured. Empty: the project's own CMake says it.
std::string architectures_step(const Repository& repository) {
  if (!takes_gpu(repository) || !is_compiled(repository)) return "";
  if (!repository.architectures.empty()) {
    return fmt::format("{} builds for the GPU architectures that {} names: {}.", kScript,
                       repository.architectures_named_by, repository.architectures);
  }
  if (!repository.target.empty() && !repository.architectures_named_by.empty()) return "";
  return fmt::format(
      "In {} give the cmake the architecture of your GPU, as -DCMAKE_CUDA_ARCHITECTURES=90: nvcc "
      "builds for an old GPU by itself.",
      kScript);
}

void add_gate(const Repository& repository, const ApprovedBaselines& approved,
              std::vector<NextStep>& steps) {
  const std::string run = fmt::format(
      "{} bash {}", is_git(repository) ? "Commit these files, and run" : "Run", kScript);
  if (!approved.devices.empty()) {
    add(steps, fmt::format("{}: it compares with what {} has for {}. On another device it ends "
                           "with 3 and prints the command that approves.",
                           run, approved.folder, some_of(approved.devices, kMostNamed)));
    return;
  }
  add(steps, fmt::format("{}{}: the first time it ends with 3 and prints the command that "
                         "approves.",
                         run,
                         takes_gpu(repository) ? " on the machine with the GPU"
                                               : " on the machine that will measure"));
}

// is_first: no device has a baseline yet.
void add_approval(const Repository& repository, bool is_first, std::vector<NextStep>& steps) {
  if (is_first && gated_of(repository) != Gated::kernels) {
    add(steps,
        fmt::format("Run that command even if the slowdowns that are named before it are large: "
                    "these the baseline alone would find.{}",
                    is_git(repository) ? " Later gates also measure in turns with the approved "
                                         "commit, and so find smaller ones."
                                       : ""));
  }
  if (is_git(repository)) add(steps, "Commit baselines/, too.");
}

// What the host has to be told. Commits hold none of it.
void add_settings(const Repository& repository, std::vector<NextStep>& steps) {
  if (repository.host == Host::github) {
    add(steps,
        fmt::format(
            "In the repository's settings set the variables WARPGAUGE_URL and "
            "WARPGAUGE_SHA256 to the address of a release's tarball and to its sum{}.",
            takes_gpu(repository) ? ", and GPU_RUNNER to a label of the runner with the GPU" : ""));
  } else if (repository.host == Host::gitlab) {
    add(steps,
        "In the project's settings set the variables WARPGAUGE_URL and WARPGAUGE_SHA256 to the "
        "address of a release's tarball and to its sum, and WARPGAUGE_RUNNER to a tag of the "
        "runner that measures.");
  }
}

// Nobody at a desk has the processor that the host lends.
void add_gate_on_runner(const Repository& repository, const ApprovedBaselines& approved,
                        std::vector<NextStep>& steps) {
  add(steps,
      "Commit these files, and push them. A baseline is of one processor: approve on the runner, "
      "not on your laptop.");
  if (!approved.devices.empty()) {
    add(steps, fmt::format("Approved in {} already: {}. Other processors follow in the same way:",
                           approved.folder, some_of(approved.devices, kMostNamed)));
  }
  if (repository.host == Host::github) {
    add(steps,
        fmt::format("A job ends with 3 where its processor has no baseline, and GitHub lends "
                    "several processors: get the results of such a job on {}, and run the command "
                    "that approves at the end of its log.",
                    repository.branch),
        fmt::format(
            "gh run download \"$(gh run list --workflow warpgauge.yml --branch {} --status "
            "failure --limit 1 --json databaseId --jq '.[0].databaseId')\" --name warpgauge "
            "--dir of_runner && rm -rf results && mv of_runner results",
            repository.branch));
  } else {
    add(steps,
        fmt::format("{}: unpack its artifacts here, and run the command that approves at the end "
                    "of its log.",
                    approved.devices.empty() ? "The first job ends with 3"
                                             : "A job ends with 3 where its processor has no "
                                               "baseline"));
  }
}

}  // namespace

std::vector<NextStep> edits_to_make(const Repository& repository) {
  std::vector<NextStep> steps;
  if (repository.kind == Kind::nvbench || repository.kind == Kind::google_benchmark) {
    if (repository.target.empty()) {
      add(steps, fmt::format("In {} name the executable of the benchmarks, and how it is built.",
                             kScript));
    }
    if (!repository.more_targets.empty()) {
      add(steps,
          fmt::format(
              "{0} gates {1} alone. For {2}, copy it, and give each copy a target and baselines "
              "of its own, all at its head. They share results/: approve what one prints "
              "before you run the next. The pipeline calls {0} alone: give each copy a job.",
              kScript, repository.target, some_of(repository.more_targets, kMostNamed)));
    }
  } else {
    add(steps,
        repository.kind == Kind::nothing
            ? fmt::format("In {} name the program to gate.", kScript)
            : fmt::format("Put your own kernels into {}: until then only a sample is guarded.",
                          sample_of(repository)));
  }
  if (const std::string step = architectures_step(repository); !step.empty()) add(steps, step);
  if (repository.kind == Kind::google_benchmark && gated_of(repository) == Gated::kernels) {
    add(steps,
        "Build the benchmarks with Google Benchmark 1.8 or newer. If they launch no kernel, "
        "gate their CPU time instead, by warpgauge import.");
  }
  if (gates_machine_code(repository)) {
    add(steps,
        fmt::format("Without a GPU, bash {} --machine-code gates what the machine code alone "
                    "says.",
                    kScript));
  }
  return steps;
}

std::vector<NextStep> steps_to_a_gate(const Repository& repository) {
  std::vector<NextStep> steps;
  const ApprovedBaselines approved = approved_baselines(repository);
  const bool has_pipeline = repository.host != Host::unknown && !is_part(repository);
  if (!takes_gpu(repository) && has_pipeline) {
    add_settings(repository, steps);
    add_gate_on_runner(repository, approved, steps);
    add_approval(repository, true, steps);
    add(steps, fmt::format("On a machine of your own bash {} gates likewise, by a baseline of its "
                           "own processor.",
                           kScript));
    return steps;
  }
  add_gate(repository, approved, steps);
  add_approval(repository, approved.devices.empty(), steps);
  if (has_pipeline) add_settings(repository, steps);
  return steps;
}

}  // namespace warpgauge::ci
