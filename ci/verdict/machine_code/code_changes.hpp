// SPDX-License-Identifier: Apache-2.0
// What machine code and launches alone tell of a change: metrics of a comparison, which need no
// clock.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Instructions that access local memory: in kernels that had none, if there are such.
inline constexpr const char* kLocalAccesses = "local_accesses";
// Loads that became narrower (see machine_code::narrower_loads()).
inline constexpr const char* kNarrowerLoads = "narrower_loads";
// That a multiprocessor holds at once by the recorded launches, of the kernel that loses most.
inline constexpr const char* kResidentWarps = "resident_warps";
// Those that a kernel was compiled for and is no longer.
inline constexpr const char* kLostArchitectures = "lost_architectures";

[[nodiscard]] bool is_code_metric(const std::string& metric);

// The less the graver, of metrics that are worse: spills, what else was counted, local memory,
// warps, loads, architectures, and last what a kernel takes and may have to spare.
[[nodiscard]] int gravity_rank(const std::string& metric);

struct CodeMetric {
  std::string metric;
  double before = 0;
  double after = 0;
  // Architectures for which a kernel is worse whose code the GPU does not run: its clock says
  // nothing of that.
  std::set<std::string> worse_where_not_run = {};
};

// Those of the above that moved. Kernels are compared by name and architecture where one compiler
// made both (see kernel_pairs.hpp); kernels of other names together. What a side does not know, as
// in an older baseline, moves nothing. compute_capability: of the GPU, "9.0"; empty: not known, or
// there is none, and of each kernel the code for the newest architecture counts as run.
[[nodiscard]] std::vector<CodeMetric> code_metrics(const results::BenchmarkResult& before,
                                                   const results::BenchmarkResult& after,
                                                   const std::string& compute_capability);

// local_accesses and resident_warps of one side, of the architecture that counts; absent where they
// are not known.
[[nodiscard]] std::map<std::string, double> code_figures(const results::BenchmarkResult& side);

// Which kernels got worse, for which architecture, how and at which lines: "copy<4> for sm_90: load
// global 128 4 → 0, load global 32 0 → 16 at kernels/copy.cuh:31". Of the above and of the
// resources that a kernel takes; empty for other metrics, and where no kernel is known to be worse.
[[nodiscard]] std::string worse_kernels(const std::string& metric,
                                        const results::BenchmarkResult& before,
                                        const results::BenchmarkResult& after);

// Of a figure of the above, or of a resource that a kernel takes: the kernels that have most of it
// (of resident warps fewest), of the architecture that counts, and where they are: "copy<4> for
// sm_90, first known line kernels/copy.cuh:12". Empty for other metrics, and where none is known.
[[nodiscard]] std::string deciding_kernels(const std::string& metric,
                                           const results::BenchmarkResult& side);

}  // namespace warpgauge::ci
