// SPDX-License-Identifier: Apache-2.0
// What a change can have touched, by two builds alone: kernels by their machine code, benchmarks by
// the kernels that they launch and by how they launch them. Nothing is timed.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct AffectedKernel {
  machine_code::KernelKey key;
  machine_code::CodeChange change = machine_code::CodeChange::changed;
};

struct AffectedBenchmark {
  std::string id;
  Identity is = Identity::unknown;   // `different`, or `unknown`: it may be affected
  std::vector<std::string> because;  // "other machine code: copy<4>", "other counters"
};

struct Affected {
  std::vector<AffectedKernel> kernels;  // that are not the same, in the order of their names
  std::size_t same_kernels = 0;         // by name, whatever the architectures
  // Why any kernel may be affected, whatever its machine code says: "sm_61 is not read here".
  std::vector<std::string> doubts;

  bool knows_benchmarks = false;
  bool compared_launches = false;  // false: the launches of one suite stand for both builds
  std::vector<AffectedBenchmark> benchmarks;  // of the suite after, in its order
  std::size_t same_benchmarks = 0;
  std::vector<std::string> removed;  // benchmarks that only the suite before has
  // Kernels that are not the same and that no benchmark of these launches: others may.
  std::vector<std::string> launched_by_none;

  [[nodiscard]] std::set<std::string> changed_kernels() const;  // by name

  // Nothing is known to have changed, nor is anything in doubt.
  [[nodiscard]] bool nothing() const;
};

// The kernels alone.
[[nodiscard]] Affected affected_kernels(const machine_code::ImageKernels& before,
                                        const machine_code::ImageKernels& after);

// The benchmarks as well. Both sides were observed on one kind of device: what they launch, how,
// and what that counts. What one side does not know may be affected. Throws Error (usage) for sides
// of different devices.
[[nodiscard]] Affected affected_benchmarks(const machine_code::ImageKernels& before,
                                           const machine_code::ImageKernels& after,
                                           const results::Results& suite_before,
                                           const results::Results& suite_after,
                                           const Policy& policy);

// The same by one suite, of either build: how the other one launches its kernels is not known, so
// that host code may have changed unseen.
[[nodiscard]] Affected affected_benchmarks(const machine_code::ImageKernels& before,
                                           const machine_code::ImageKernels& after,
                                           const results::Results& suite, const Policy& policy);

// For --filter of run and gate: those that may be affected, of all sizes, since other devices have
// others. Empty: none. Where it cannot be said which, or they are too many for a filter: all.
[[nodiscard]] std::string filter_for(const Affected& affected);
inline constexpr const char* kAllBenchmarks = ".";

}  // namespace warpgauge::ci
