// SPDX-License-Identifier: Apache-2.0
// Whether a benchmark runs the same code on the same input on both sides: machine code, launches
// and their arguments, input, counters. The one answer that controls, the verdict and approving
// share.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ci/policy/policy.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// unknown: a side lacks what it takes to tell. Unknown is never the same.
enum class Identity { same, different, unknown };

// Of the architectures that both sides have. Resources count: the same instructions run differently
// with other registers. The compiler does not, where it makes the same.
struct MachineCodeIdentity {
  Identity is = Identity::unknown;
  std::vector<std::string> different_kernels;  // or on one side only
  std::string compiled_before;  // "sm_80 and sm_90 by ptxas 13.0.88"; empty: no machine code
  std::string compiled_after;
  // Which only the side after has, though it has others in common with the side before.
  std::set<std::string> new_architectures;

  // False: both sides have machine code, for no architecture in common or by another compiler, so
  // that their resources say nothing about the kernels.
  [[nodiscard]] bool compiled_alike() const;
};

struct LaunchIdentity {
  Identity is = Identity::unknown;
  std::string difference;  // "copy: grid 32×32 → 16×64"; empty unless they are different
  bool different_kernels = false;          // a side launches one that the other does not
  Identity arguments = Identity::unknown;  // different: so are the launches
  bool known_before = false;
  bool known_after = false;

  // The same, or unknown on the side before, as in an old baseline. Where that side is known and
  // the side after is not, they may be different.
  [[nodiscard]] bool alike() const;
};

struct CodeIdentity {
  MachineCodeIdentity machine_code;
  LaunchIdentity launches;
  Identity counters = Identity::unknown;   // exact ones
  Identity resources = Identity::unknown;  // registers and the like
  Identity input = Identity::unknown;
  Identity host_calls = Identity::unknown;  // copies, allocations and the like, see host_calls.hpp
  // Counters that no policy gates but that repeated exactly whenever the old side was counted;
  // never the bytes of DRAM.
  Identity repeating = Identity::unknown;
  bool counted = true;            // false: neither side may count, and identity rests on all else
  bool knows_host_calls = false;  // false: neither side does, as in older results and baselines
  // Why the side after is not the same as what the merge base's baseline says; see
  // hold_against_merge_base(). Empty: it is, or that was not asked.
  std::string at_merge_base;

  // What keeps the two sides from being known to be the same, the first found: "other machine
  // code", "the baseline does not know its input". Empty: they are the same.
  [[nodiscard]] std::string not_same_because() const;
  [[nodiscard]] bool same() const { return not_same_because().empty(); }

  // Machine code and exact counters are the same, launches are alike, and the input is not known to
  // be another: what time differs comes from the machine, or from what is not seen.
  [[nodiscard]] bool same_instructions_and_counters() const;

  // Machine code or launches are known to be different.
  [[nodiscard]] bool different() const;

  // The same machine code, and for all that is known the same launches.
  [[nodiscard]] bool same_instructions() const;

  // Nothing is known to be different, exact counters and resources included.
  [[nodiscard]] bool may_be_same() const;
};

// By name; nothing where the figures of a side's sessions and processes differ.
using ExactFigures = std::map<std::string, std::optional<double>>;

// What one side's code is told by. Refers to its parts.
struct CodeSide {
  const std::vector<results::KernelCode>& machine_code;
  const std::vector<results::KernelLaunch>& launches;  // sorted, as add_launch() leaves them
  const std::string& input_digest;
  ExactFigures exact = {};
};

[[nodiscard]] CodeIdentity code_identity(const CodeSide& before, const CodeSide& after);

// By the counters that the policy gates as exact: what it does not gate, since it differs from run
// to run of the same kernel, has no say.
[[nodiscard]] CodeIdentity code_identity(const results::BenchmarkResult& before,
                                         const results::BenchmarkResult& after,
                                         const Policy& policy);

// Of the benchmarks that both sides have, by id.
using CodeIdentities = std::map<std::string, CodeIdentity>;
[[nodiscard]] CodeIdentities code_identities(const results::Results& before,
                                             const results::Results& after, const Policy& policy);

// A change may write its own baseline, but cannot so make its code look unchanged: what is the same
// as that is the same only if it is so by the merge base's baseline, too. `there` says that.
void hold_against_merge_base(const CodeIdentities& there, CodeIdentities& identities);

[[nodiscard]] MachineCodeIdentity compare_machine_code(
    const std::vector<results::KernelCode>& before, const std::vector<results::KernelCode>& after);

// Both sorted, as add_launch() leaves them.
[[nodiscard]] LaunchIdentity compare_launches(const std::vector<results::KernelLaunch>& before,
                                              const std::vector<results::KernelLaunch>& after);

// "copy: grid 32×32, block 256, 1024 bytes of dynamic shared memory, 2 times".
[[nodiscard]] std::string launch_text(const results::KernelLaunch& launch);

// "copy<4>" of "void copy<4>(float const*, float*)".
[[nodiscard]] std::string_view without_parameters(std::string_view kernel);

}  // namespace warpgauge::ci
