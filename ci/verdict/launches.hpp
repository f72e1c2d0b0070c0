// SPDX-License-Identifier: Apache-2.0
// How kernels were launched: whether both sides launch alike, and if not, what differs.
#pragma once

#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct LaunchComparison {
  enum class Result { unknown, same, other };

  Result result = Result::unknown;  // unknown: a side does not tell
  std::string difference;           // "copy: grid 32×32 → 16×64"; empty unless they are other
  bool other_kernels = false;       // a side launches one that the other does not
};

// "copy: grid 32×32, block 256, 1024 bytes of dynamic shared memory, 2 times".
[[nodiscard]] std::string launch_text(const results::KernelLaunch& launch);

// Both sorted, as add_launch() leaves them.
[[nodiscard]] LaunchComparison compare_launches(const std::vector<results::KernelLaunch>& before,
                                                const std::vector<results::KernelLaunch>& after);

// Both sides tell, and differ: whether, where what differs is not asked.
[[nodiscard]] bool launched_otherwise(const std::vector<results::KernelLaunch>& before,
                                      const std::vector<results::KernelLaunch>& after);

// The same, or nothing to tell by on the side before, as in a baseline of old. Where that tells and
// the side after does not, they may be other.
[[nodiscard]] bool launched_alike(const std::vector<results::KernelLaunch>& before,
                                  const std::vector<results::KernelLaunch>& after);

}  // namespace warpgauge::ci
