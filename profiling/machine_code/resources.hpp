// SPDX-License-Identifier: Apache-2.0
// What a benchmark's kernels take of a GPU, by their machine code, as metrics of the benchmark.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// registers, static_shared_bytes, stack_bytes: of the kernel that takes most. spill_store_bytes,
// spill_load_bytes, code_bytes, code_instructions: of all kernels together. What is not known of
// one of them is absent. The kernels are of one architecture.
[[nodiscard]] std::map<std::string, double> resource_metrics(
    const std::vector<results::KernelCode>& kernels);

[[nodiscard]] bool is_resource_metric(const std::string& metric);

// Those of one architecture, "sm_90".
[[nodiscard]] std::vector<results::KernelCode> of_architecture(
    const std::vector<results::KernelCode>& kernels, const std::string& architecture);

}  // namespace warpgauge::ci
