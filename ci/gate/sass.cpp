// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/sass.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "ci/measure/disassembly.hpp"
#include "profiling/machine_code/files/images.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kMostKernels = 8;     // a page's size is bounded by them
constexpr std::size_t kMostBenchmarks = 4;  // of one kernel: those of other sizes say the same

KernelOfHash named(const results::KernelCode& code) {
  return {{code.name, code.architecture}, code.sass_hash};
}

bool has_changed(const KernelVersions& kernel) {
  return kernel.before && kernel.after && kernel.before->sass_hash != kernel.after->sass_hash;
}

// The kernels of the gravest benchmarks, which lead.
std::vector<KernelVersions*> changed_kernels(GateVerdict& verdict) {
  std::vector<KernelVersions*> all;
  std::map<KernelOfHash, std::size_t> benchmarks;
  for (BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (benchmark.verdict == Verdict::same) continue;
    for (KernelVersions& kernel : benchmark.kernels) {
      if (!has_changed(kernel)) continue;
      const KernelOfHash name = named(*kernel.after);
      if (benchmarks.size() == kMostKernels && !benchmarks.contains(name)) continue;
      if (++benchmarks[name] <= kMostBenchmarks) all.push_back(&kernel);
    }
  }
  return all;
}

std::vector<std::filesystem::path> images_of(const RunOptions& run) {
  return run.machine_code.empty() ? std::vector<std::filesystem::path>{run.suite}
                                  : run.machine_code;
}

}  // namespace

void add_side_by_side(const RunOptions& before, const RunOptions& after, GateVerdict& verdict) {
  const std::vector<KernelVersions*> kernels = changed_kernels(verdict);
  if (kernels.empty()) return;
  std::vector<TwoVersions> versions;
  versions.reserve(kernels.size());
  for (const KernelVersions* each : kernels) {
    versions.push_back({named(*each->before), named(*each->after)});
  }
  std::string missing;
  try {
    SideBySides texts = disassemble_both(images_of(before), images_of(after), versions);
    missing = texts.missing;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (texts.kernels[i]) kernels[i]->sass = std::move(*texts.kernels[i]);
    }
  } catch (const machine_code::CubinError& error) {
    missing = error.what();
  } catch (const results::FileError& error) {
    missing = error.what();
  }
  if (!missing.empty()) {
    verdict.notes.push_back(
        fmt::format("no machine code side by side of what changed: {}", missing));
  }
}

}  // namespace warpgauge::ci
