// SPDX-License-Identifier: Apache-2.0
// Approved results: baselines/<device key>/<family>.json, one metric a line so that a change is a
// small diff, and device.json beside them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ci/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// The baseline for a device, as results of several sessions.
// Nothing when `folder` holds none for it. Throws results::FileError and results::FormatError.
[[nodiscard]] std::optional<results::Results> read_baseline(const std::filesystem::path& folder,
                                                            const std::string& device_key);

// Keys of the devices that `folder` holds baselines for.
[[nodiscard]] std::vector<std::string> devices_with_baseline(const std::filesystem::path& folder);

struct Approval {
  std::vector<std::string> changed;  // ids whose baseline is new or another than before
  std::vector<std::string> removed;
  std::vector<std::filesystem::path> written;
};

// Makes these results, each of them a session, the baseline of the benchmarks that they contain;
// benchmarks that they do not contain keep theirs, but for `remove`. Exact metrics and source lines
// are kept once, statistical ones by session. Files without a change are not touched.
//
// Throws Error when the results cannot be a baseline: a failed benchmark, a gated metric that is no
// usable number, exact metrics that differ between sessions, another device, a plain Google
// Benchmark file, an id in `remove` that has no baseline. No file has been changed then.
[[nodiscard]] Approval approve(const std::vector<results::Results>& sessions,
                               const std::vector<std::string>& remove,
                               const std::filesystem::path& folder, const Policy& policy,
                               const std::string& now);

}  // namespace warpgauge::ci
