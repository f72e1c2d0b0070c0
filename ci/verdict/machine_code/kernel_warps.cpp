// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/machine_code/kernel_warps.hpp"

#include <algorithm>
#include <cstdint>

namespace warpgauge::ci {

WarpsBy warps_by(const results::BenchmarkResult& side) {
  const bool know_barriers =
      std::all_of(side.machine_code.begin(), side.machine_code.end(),
                  [](const results::KernelCode& each) { return each.barriers.has_value(); });
  return {side.launches.empty() ? BlockSource::launch_bounds : BlockSource::launches,
          know_barriers};
}

std::optional<WarpsBy> warps_by(const results::BenchmarkResult& before,
                                const results::BenchmarkResult& after) {
  const WarpsBy by_before = warps_by(before);
  const WarpsBy by_after = warps_by(after);
  if (by_before.blocks != by_after.blocks) return std::nullopt;
  return WarpsBy{by_before.blocks, by_before.barriers && by_after.barriers};
}

std::optional<Occupancy> fewest_warps(const results::KernelCode& code,
                                      const results::BenchmarkResult& side, WarpsBy by) {
  const std::uint64_t barriers = by.barriers ? code.barriers.value_or(0) : 0;
  const auto of = [&](std::uint64_t threads, std::uint64_t dynamic_shared_bytes) {
    return occupancy(code.architecture,
                     {threads, static_cast<std::uint64_t>(code.registers),
                      code.static_shared_bytes + dynamic_shared_bytes, barriers});
  };
  if (by.blocks == BlockSource::launch_bounds) return of(code.most_threads, 0);
  std::optional<Occupancy> fewest;
  for (const results::KernelLaunch& launch : side.launches) {
    if (launch.kernel != code.name) continue;
    const auto& [x, y, z] = launch.block;
    const auto warps = of(std::uint64_t{x} * y * z, launch.dynamic_shared_bytes);
    if (!warps) return std::nullopt;
    if (!fewest || warps->warps < fewest->warps) fewest = warps;
  }
  return fewest;
}

}  // namespace warpgauge::ci
