// SPDX-License-Identifier: Apache-2.0
// Which kernel a call of the driver launches, and how.
#pragma once

#include <cuda.h>
#include <cupti.h>

#include <optional>
#include <string>
#include <vector>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::inject {

struct LaunchedKernel {
  const void* function = nullptr;
  CUstream stream = nullptr;
  std::string symbol;           // "?": not known
  launches::EntryRecord alike;  // its grid, block and dynamic shared memory alone
};

// The driver's calls that launch one kernel.
const std::vector<CUpti_CallbackId>& kernel_launches();

// As such a call begins. Asks the driver. Nothing: it is none of them.
[[nodiscard]] std::optional<LaunchedKernel> launched_kernel(CUpti_CallbackId id,
                                                            const CUpti_CallbackData& call);

// Whether what is launched on this stream becomes a node of a graph instead of running. Asks the
// driver.
[[nodiscard]] bool is_captured(CUstream stream);

}  // namespace warpgauge::inject
