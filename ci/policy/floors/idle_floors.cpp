// SPDX-License-Identifier: Apache-2.0
// Which floors are for a device that nothing is known of.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/policy/rule_scope.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

std::string remark_on(const Policy& policy, const Policy::Floor& floor, const std::string& device,
                      const std::vector<std::string>& near) {
  return fmt::format(
      "{}:{}:{}: [[floor]] of '{}' is for '{}', and neither these results nor any baseline are "
      "from it{}; correct the name if it is misspelt",
      policy.name, floor.place.line, floor.place.column, floor.benchmarks, device,
      results::did_you_mean(device, near));
}

// Whether the device has floors of this one's clock, but none of its benchmarks.
bool lacks_floor(const std::string& device, const Policy::Floor& floor, const Policy& policy) {
  bool has_any = false;
  for (const Policy::Floor& other : policy.floors) {
    if (other.clock != floor.clock || !is_among(other.devices, device)) continue;
    if (other.benchmarks == floor.benchmarks) return false;
    has_any = true;
  }
  return has_any;
}

}  // namespace

std::vector<std::string> idle_floors(const Policy& policy, const std::vector<std::string>& keys) {
  std::vector<std::string> idle;
  if (keys.empty()) return idle;
  for (const Policy::Floor& floor : policy.floors) {
    for (const std::string& device : floor.devices) {
      if (!is_among(keys, device)) idle.push_back(remark_on(policy, floor, device, keys));
    }
  }
  return idle;
}

std::vector<std::string> floors_that_may_be_meant_for(const std::string& device,
                                                      const Policy& policy,
                                                      const std::vector<std::string>& keys) {
  std::vector<std::string> meant;
  for (const Policy::Floor& floor : policy.floors) {
    if (!lacks_floor(device, floor, policy)) continue;
    for (const std::string& named : floor.devices) {
      if (is_among(keys, named) || results::did_you_mean(named, {device}).empty()) continue;
      meant.push_back(remark_on(policy, floor, named, {device}));
    }
  }
  return meant;
}

}  // namespace warpgauge::ci
