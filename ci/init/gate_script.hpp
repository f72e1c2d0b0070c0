// SPDX-License-Identifier: Apache-2.0
// ci/warpgauge.sh, which builds, measures and gates: what of a repository it gates, and how.
#pragma once

#include <string>

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

inline constexpr const char* kScript = "ci/warpgauge.sh";

// What of a repository is gated: the kernels of whatever program there is, or the times that its
// benchmarks take themselves. Those of Google Benchmark with CUDA are a processor's, of launches
// and waiting, and differed by 15 % between sessions of an unchanged suite on an H200: its kernels
// are gated.
enum class Gated { kernels, nvbench_times, cpu_times };
[[nodiscard]] Gated gated_of(const Repository& repository);

// Whether it is measured on a machine with a GPU.
[[nodiscard]] bool takes_gpu(const Repository& repository);

// Whether the script knows how to build what it measures.
[[nodiscard]] bool is_compiled(const Repository& repository);

// Whether it can gate the machine code alone, without a GPU.
[[nodiscard]] bool gates_machine_code(const Repository& repository);

// Where the sample is that is measured until there are kernels of one's own; empty: there is none.
[[nodiscard]] std::string sample_of(const Repository& repository);

// The lines that say so for as long as it is there; empty without one.
[[nodiscard]] std::string sample_lines(const Repository& repository);

// Where the script's baselines lie, below the root.
[[nodiscard]] std::string folder_of_baselines(const Repository& repository);

[[nodiscard]] std::string gate_script(const Repository& repository);

}  // namespace warpgauge::ci
