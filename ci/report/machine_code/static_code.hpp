// SPDX-License-Identifier: Apache-2.0
// What machine code alone tells of kernels, as text and as JSON: a table of one build, and what is
// worse in a second one.
#pragma once

#include <string>
#include <vector>

#include "ci/verdict/machine_code/worse_code.hpp"
#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

[[nodiscard]] std::string static_table(const machine_code::ImageKernels& kernels,
                                       const StaticBlocks& blocks);
[[nodiscard]] results::Json static_json(const machine_code::ImageKernels& kernels,
                                        const StaticBlocks& blocks);

// worse: worse_code() of these, with the lines that are known.
[[nodiscard]] std::string static_changes(const machine_code::ImageChanges& changes,
                                         const StaticBlocks& blocks,
                                         const std::vector<StaticFinding>& worse);
// Of that what is worse, and what was not read.
[[nodiscard]] std::string static_outcome(const machine_code::ImageChanges& changes,
                                         const std::vector<StaticFinding>& worse);
[[nodiscard]] results::Json static_changes_json(const machine_code::ImageChanges& changes,
                                                const StaticBlocks& blocks,
                                                const std::vector<StaticFinding>& worse);

// "Not read: …", a line for each.
[[nodiscard]] std::string named_broken(const std::vector<std::string>& broken);

}  // namespace warpgauge::ci
