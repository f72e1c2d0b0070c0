// SPDX-License-Identifier: Apache-2.0
// How the script builds and gates an executable of NVBench or Google Benchmark that is a
// repository's own.
#pragma once

#include <string>

#include "ci/init/filled.hpp"
#include "ci/init/repository.hpp"

namespace warpgauge::ci {

[[nodiscard]] Words words_of_own_benchmarks(const Repository& repository);

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

// Parts of a script that builds: with ccache, of which a pipeline keeps the folder, and as if for
// the first time; and without measuring, which ci/affected.sh does for both sides of a change.
inline constexpr const char* kBeforeCmake =
    "if command -v ccache >/dev/null; then export CMAKE_{C,CXX,CUDA}_COMPILER_LAUNCHER=ccache; "
    "fi\n"
    "# CMake would keep answers of the last run, such as the GPU's architecture. Options belong "
    "into the cmake below.\n"
    "rm -f build/warpgauge/CMakeCache.txt\n";
inline constexpr const char* kBuildAlone = "[[ ${1:-} != --build ]] || exit 0\n";
inline constexpr const char* kMachineCodeUsage =
    "#   bash ci/warpgauge.sh --machine-code [options of `warpgauge compare`]   # needs no GPU\n";
inline constexpr const char* kBuildUsage =
    "#   bash ci/warpgauge.sh --build   # measures nothing\n";

}  // namespace warpgauge::ci
