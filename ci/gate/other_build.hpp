// SPDX-License-Identifier: Apache-2.0
// A build of the suite that was made elsewhere.
#pragma once

#include <filesystem>
#include <string>

#include "ci/measure/measurement.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::ci {

// The same run with another build: with the suite of the same name in bin/ of the folder `build`,
// or with the suite that `build` is. Files of machine code lie beside that suite, under the same
// names. `option` is for messages: "--against-build". Throws Error (usage) for what does not exist.
[[nodiscard]] RunOptions run_of_build(const RunOptions& run, const std::filesystem::path& build,
                                      const char* option);

// The source that the suite says it was built from, which is not the one checked out here. Throws
// what Suite does.
[[nodiscard]] results::Source source_of_build(const RunOptions& run);

}  // namespace warpgauge::ci
