// SPDX-License-Identifier: Apache-2.0
// The shards of a run as one results file, as if it had not been shared.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct MergedShards {
  std::string text;  // of results.json
  std::size_t shards = 0;
  std::size_t benchmarks = 0;
  std::size_t failed = 0;
  std::size_t devices = 1;
};

// The benchmarks in the suite's order, whatever the order of the files. Shards of several devices
// of one model are a session each device; what they timed besides their own comes behind.
// Throws FileError, FormatError, and Error (usage) where a file is no shard, is given twice, does
// not belong to the others (revision, suite, settings, device, toolchain) or is missing.
[[nodiscard]] MergedShards merge_shards(const std::vector<std::filesystem::path>& files);

}  // namespace warpgauge::ci
