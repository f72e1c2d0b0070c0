// SPDX-License-Identifier: Apache-2.0
// How the script builds, starts and imports an executable of NVBench or Google Benchmark that is a
// repository's own.
#pragma once

#include <map>
#include <string>

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

using Words = std::map<std::string, std::string>;  // what stands for @WORD@ in a template

[[nodiscard]] Words words_of_own_benchmarks(const Repository& repository);

// Only a suite of Google Benchmark without CUDA is for a processor.
[[nodiscard]] bool takes_gpu(const Repository& repository);

}  // namespace warpgauge::ci
