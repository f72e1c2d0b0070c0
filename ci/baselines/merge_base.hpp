// SPDX-License-Identifier: Apache-2.0
// The baselines and the policy as they are where a change branched off, and what it did to them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/policy/approved_changes.hpp"

namespace warpgauge::ci {

struct MergeBase {
  std::string revision;
  std::map<std::string, Baseline> baselines;      // by device key
  std::map<std::string, std::string> unreadable;  // by device key: why, as of another schema
  std::optional<std::string> policy;              // text; absent: there is no such file
};

// Of `revision` and HEAD, by git, from the repository that holds the folder of baselines. The
// policy is a file of the same repository. Throws Error (usage): no such revision, no repository,
// or no merge base in what was fetched.
[[nodiscard]] MergeBase read_merge_base(const std::string& revision,
                                        const std::filesystem::path& baselines,
                                        const std::filesystem::path& policy);

// From there to the files as they are now. `ids` are the benchmarks that the results hold; `today`
// as for on_day().
[[nodiscard]] Edits edits_since(const MergeBase& base, const std::filesystem::path& baselines,
                                const std::filesystem::path& policy, std::vector<std::string> ids,
                                const std::string& today);

}  // namespace warpgauge::ci
