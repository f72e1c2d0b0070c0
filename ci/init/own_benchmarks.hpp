// SPDX-License-Identifier: Apache-2.0
// How the script builds and gates an executable of NVBench or Google Benchmark that is a
// repository's own.
#pragma once

#include <string>

#include "ci/init/filled.hpp"
#include "ci/init/repository.hpp"

namespace warpgauge::ci {

[[nodiscard]] Words words_of_own_benchmarks(const Repository& repository);

// Whether the benchmarks' own times are gated. For Google Benchmark with CUDA, the kernels are, as
// for any program: its times are a processor's, of launches and waiting, and those of an unchanged
// suite differed by 15 % between sessions on an H200.
[[nodiscard]] bool is_imported(const Repository& repository);

// Only a suite of Google Benchmark without CUDA is for a processor.
[[nodiscard]] bool takes_gpu(const Repository& repository);

// Whether the script knows how to build what it measures.
[[nodiscard]] bool is_compiled(const Repository& repository);

// Parts of a script that builds: with ccache, of which a pipeline keeps the folder; and without
// measuring, which ci/affected.sh does for both sides of a change.
inline constexpr const char* kWithCcache =
    "if command -v ccache >/dev/null; then export CMAKE_{C,CXX,CUDA}_COMPILER_LAUNCHER=ccache; "
    "fi\n";
inline constexpr const char* kBuildAlone = "[[ ${1:-} != --build ]] || exit 0\n";
inline constexpr const char* kInstalled =
    "warpgauge=${WARPGAUGE:-warpgauge}\n"
    "[[ ${1:-} == --build ]] || command -v \"$warpgauge\" >/dev/null || {\n"
    "  echo \"$0: there is no $warpgauge: install a release, or name its program in WARPGAUGE\" "
    ">&2\n"
    "  exit 4\n"
    "}\n";
inline constexpr const char* kMachineCodeUsage =
    "#   bash ci/warpgauge.sh --machine-code [options of `warpgauge compare`]   # needs no GPU\n";
inline constexpr const char* kBuildUsage =
    "#   bash ci/warpgauge.sh --build   # measures nothing\n";

}  // namespace warpgauge::ci
