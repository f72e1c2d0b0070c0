// SPDX-License-Identifier: Apache-2.0
// Which sessions a baseline keeps, and which it drops.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/baseline.hpp"

namespace warpgauge::ci {

// Drops from what the benchmarks to be approved are held against all that was measured in another
// environment. Throws Error (usage) where they have none of it, and none was carried over.
void begin_environment(const ApprovalRequest& request, const Family& approved, Baseline& baseline);

// Throws Error (usage) where the request's sessions are of two environments.
void check_one_environment(const ApprovalRequest& request);

// Drops the oldest of a metric's sessions until there are `count` at most, and calls `dropped` with
// the label of each. known: all of them, by label.
void keep_newest(std::size_t count, const std::map<std::string, ApprovedSession>& known,
                 std::vector<SessionFigures>& sessions,
                 const std::function<void(const std::string&)>& dropped = {});

// Takes sessions out of the baselines of these devices until each statistical metric has the newest
// `keep` at most. Returns of how many benchmarks each session was dropped, by device and label.
// Throws as load_baseline() does.
[[nodiscard]] std::map<std::string, std::map<std::string, std::size_t>> prune_baselines(
    const std::filesystem::path& folder, const std::vector<std::string>& devices, std::size_t keep);

}  // namespace warpgauge::ci
