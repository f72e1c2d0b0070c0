// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/first_start.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace warpgauge::ci {
namespace {

using Hash = std::pair<std::uint64_t, std::uint64_t>;
using Shape = std::array<std::uint32_t, 7>;
using Launches = std::map<std::tuple<std::string, std::string, Shape, Hash>, std::uint64_t>;

// Of all processes.
Launches launches_of(const ProgramStart& start) {
  Launches launches;
  for (const launches::ProcessRecords& process : start.processes) {
    for (const launches::RecordedEntry& entry : process.entries) {
      const auto& [grid, block] = std::pair(entry.alike.grid, entry.alike.block);
      const Shape shape{grid[0],
                        grid[1],
                        grid[2],
                        block[0],
                        block[1],
                        block[2],
                        entry.alike.dynamic_shared_bytes};
      const Hash code{entry.alike.code[0], entry.alike.code[1]};
      launches[{entry.range, entry.kernel, shape, code}] += entry.total.launches;
    }
  }
  return launches;
}

std::set<Hash> modules_of(const ProgramStart& start) {
  std::set<Hash> modules;
  for (const launches::ProcessRecords& process : start.processes) {
    for (const launches::ModuleRecord& each : process.modules) {
      modules.emplace(each.hash[0], each.hash[1]);
    }
  }
  return modules;
}

}  // namespace

bool counts_like_the_next(const ProgramStart& first, const ProgramStart& next) {
  constexpr std::chrono::seconds kWorthIt{2};
  constexpr double kAsLong = 1.15;
  return first.took >= kWorthIt && first.took <= kAsLong * next.took &&
         launches_of(first) == launches_of(next) && modules_of(first) == modules_of(next);
}

}  // namespace warpgauge::ci
