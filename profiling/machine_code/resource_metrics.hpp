// SPDX-License-Identifier: Apache-2.0
// The GPU resources that a benchmark's kernels need, as metrics of the benchmark.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// registers, static_shared_bytes, stack_bytes: the largest of all kernels. spill_store_bytes,
// spill_load_bytes, code_bytes, code_instructions: the sum of all kernels. A metric is absent if
// it is unknown for one kernel. One entry a kernel: for the architecture that a GPU would run.
[[nodiscard]] std::map<std::string, double> resource_metrics(
    const std::vector<results::KernelCode>& kernels);

[[nodiscard]] bool is_resource_metric(const std::string& metric);

// The kernels for one architecture, "sm_90".
[[nodiscard]] std::vector<results::KernelCode> of_architecture(
    const std::vector<results::KernelCode>& kernels, const std::string& architecture);

}  // namespace warpgauge::ci
