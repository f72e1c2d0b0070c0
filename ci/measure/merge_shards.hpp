// SPDX-License-Identifier: Apache-2.0
// The shards of a run as one run, as if it had not been shared.
#pragma once

#include <filesystem>
#include <vector>

#include "profiling/results/run_record.hpp"

namespace warpgauge::ci {

// The benchmarks in the suite's order, whatever the order of the files. Shards of several devices
// of one model are a session each device; what they timed besides their own comes behind.
// Throws FileError, FormatError, and Error (usage) where a file is no shard, is given twice, does
// not belong to the others (revision, suite, settings, device, toolchain) or is missing.
[[nodiscard]] results::RunRecord merge_shards(const std::vector<std::filesystem::path>& files);

}  // namespace warpgauge::ci
