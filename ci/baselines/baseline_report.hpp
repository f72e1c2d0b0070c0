// SPDX-License-Identifier: Apache-2.0
// Baselines and what becomes of them, as `approve` and `baseline` print it: each for people, and as
// JSON for programs.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/approve/session_retention.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_check.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// What moved from what to what, what is new, what was written.
[[nodiscard]] std::string approval_text(const Approval& approval);
[[nodiscard]] results::Json approval_json(const Approval& approval);

// A row for each family of each device.
[[nodiscard]] std::string list_text(const std::vector<Baseline>& baselines);

[[nodiscard]] results::Json list_json(const std::vector<Baseline>& baselines);

// Figures by session, exact metrics, lines, and who approved them; the benchmark is in the
// baseline.
[[nodiscard]] std::string benchmark_text(const Baseline& baseline, const std::string& id,
                                         const Approved& approved);

[[nodiscard]] results::Json benchmark_json(const Baseline& baseline, const std::string& id,
                                           const Approved& approved);

// A row for each session that was dropped; see prune_baselines().
using Dropped = std::map<std::string, std::map<std::string, std::size_t>>;
[[nodiscard]] std::string pruned_text(const Dropped& dropped);
[[nodiscard]] results::Json pruned_json(const Dropped& dropped);

[[nodiscard]] std::string check_text(const BaselineCheck& check);
[[nodiscard]] results::Json check_json(const BaselineCheck& check);

}  // namespace warpgauge::ci
