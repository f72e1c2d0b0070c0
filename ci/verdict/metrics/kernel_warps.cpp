// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/kernel_warps.hpp"

#include <cstdint>

namespace warpgauge::ci {

BlockSource block_source(const results::BenchmarkResult& side) {
  return side.launches.empty() ? BlockSource::launch_bounds : BlockSource::launches;
}

std::optional<BlockSource> block_source(const results::BenchmarkResult& before,
                                        const results::BenchmarkResult& after) {
  const BlockSource source = block_source(before);
  return source == block_source(after) ? std::optional(source) : std::nullopt;
}

std::optional<Occupancy> fewest_warps(const results::KernelCode& code,
                                      const results::BenchmarkResult& side, BlockSource source) {
  const auto of = [&](std::uint64_t threads, std::uint64_t dynamic_shared_bytes) {
    return occupancy(code.architecture, {threads, static_cast<std::uint64_t>(code.registers),
                                         code.static_shared_bytes + dynamic_shared_bytes});
  };
  if (source == BlockSource::launch_bounds) return of(code.most_threads, 0);
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
