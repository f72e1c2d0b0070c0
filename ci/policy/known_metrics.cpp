// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/known_metrics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "ci/support/errors.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

// A GPU has hundreds of counters.
constexpr std::size_t kMostNames = 30;

// What the program measures on some device, if not on this one. Not those of the built-in policy:
// that may be the one that is judged.
constexpr const char* kOwnMetrics[] = {
    "allocations",
    "barriers",
    "code_bytes",
    "code_instructions",
    "copies",
    "dram_read_bytes",
    "dram_write_bytes",
    "frees",
    "global_atomic_requests",
    "global_atomic_sectors",
    "global_load_requests",
    "global_load_sectors",
    "global_store_requests",
    "global_store_sectors",
    "instructions",
    "kernel_launches",
    "l2_request_hit_rate",
    "local_accesses",
    "lost_architectures",
    "memory_sets",
    "narrower_loads",
    "occupancy",
    "peak_memory_bytes",
    "registers",
    "resident_warps",
    "shared_atomic_requests",
    "shared_atomic_wavefronts",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "span",
    "spill_load_bytes",
    "spill_store_bytes",
    "stack_bytes",
    "static_shared_bytes",
    "synchronizations",
    "time",
};

std::string list_of(const std::set<std::string>& known) {
  if (known.empty()) return "none was measured";
  std::vector<std::string> shown(known.begin(), known.end());
  const std::size_t more = shown.size() - std::min(shown.size(), kMostNames);
  shown.resize(shown.size() - more);
  return fmt::format("there are {}{}", fmt::join(shown, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// Where the policy demands the metric, of some benchmark at least; line 0: nowhere.
Place demanded_at(const Policy& policy, const std::string& metric, const Rule& rule) {
  if (!rule.gated()) return {};
  if (!rule.optional) return rule.place;
  for (const Policy::Override& change : policy.overrides) {
    const auto& names = change.metrics;
    const bool is_meant = std::find(names.begin(), names.end(), metric) != names.end();
    if (is_meant && change.optional == false && change.gate != false) return change.place;
  }
  return {};
}

}  // namespace

std::vector<std::string> unknown_metrics(const Policy& policy, const std::set<std::string>& known) {
  std::set<std::string> names = known;
  names.insert(std::begin(kOwnMetrics), std::end(kOwnMetrics));
  std::vector<std::string> unknown;
  for (const Policy::Named& named : policy.metrics) {
    for (const std::string& metric : named.names) {
      const Place place = demanded_at(policy, metric, named.rule);
      if (place.line == 0 || names.contains(metric)) continue;
      unknown.push_back(fmt::format(
          "{}:{}:{}: the policy gates '{}', which was not measured and is in no baseline{}; {}; "
          "fix the name, or say optional = true",
          policy.name, place.line, place.column, metric,
          results::did_you_mean(metric, {names.begin(), names.end()}), list_of(known)));
    }
  }
  names.insert(kShareOfCeilingMetric);
  for (const Policy::Limit& limit : policy.limits) {
    if (names.contains(limit.metric)) continue;
    unknown.push_back(
        fmt::format("{}:{}:{}: the policy limits '{}', which was not measured and is in no "
                    "baseline{}; {}; fix the name, or remove the [[{}]]",
                    policy.name, limit.place.line, limit.place.column, limit.metric,
                    results::did_you_mean(limit.metric, {names.begin(), names.end()}),
                    list_of(known), limit.table()));
  }
  return unknown;
}

void refuse_unknown_metrics(const Policy& policy, const std::set<std::string>& known) {
  const std::vector<std::string> unknown = unknown_metrics(policy, known);
  if (unknown.empty()) return;
  throw Error(kExitNotMeasured,
              fmt::format("{}{}", unknown.front(),
                          unknown.size() > 1 ? fmt::format(" ({} more)", unknown.size() - 1) : ""));
}

}  // namespace warpgauge::ci
