// SPDX-License-Identifier: Apache-2.0
// A build of the suite that was made elsewhere.
#pragma once

#include <filesystem>
#include <string>

#include "ci/measure/measurement.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::ci {

// The same run of another build: of the suite of the same name in bin/ of this folder, or of the
// suite that `build` is. Machine code is where that suite is, under the same names. `option` named
// it, for messages: "--against-build". Throws Error (usage) for what is not there.
[[nodiscard]] RunOptions run_of_build(const RunOptions& run, const std::filesystem::path& build,
                                      const char* option);

// What the suite says that it was built of, which is not what is checked out here. Throws what
// Suite does.
[[nodiscard]] results::Source source_of_build(const RunOptions& run);

}  // namespace warpgauge::ci
