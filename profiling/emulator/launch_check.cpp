// SPDX-License-Identifier: Apache-2.0
// EmulatedDevice's refusals of launches that CUDA refuses, too.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/models/device_limits.hpp"

namespace warpgauge::emulator {
namespace {

bool is_possible(dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
    return false;
  }
  return grid.x <= kMaxGridWidth && grid.y <= kMaxGridHeight && grid.z <= kMaxGridHeight &&
         block.x <= kMaxThreadsPerBlock && block.y <= kMaxThreadsPerBlock &&
         block.z <= kMaxBlockDepth &&
         std::uint64_t{block.x} * block.y * block.z <= kMaxThreadsPerBlock;
}

std::span<const cudaLaunchAttribute> attributes(const cudaLaunchConfig_t& config) {
  return {config.attrs, config.numAttrs};
}

bool is_known(const cudaLaunchAttribute& attribute) {
  return attribute.id == cudaLaunchAttributeIgnore ||
         attribute.id == cudaLaunchAttributeCooperative ||
         attribute.id == cudaLaunchAttributeClusterDimension;
}

const cudaLaunchAttribute* cluster_attribute(const cudaLaunchConfig_t& config) {
  const auto found = std::ranges::find(attributes(config), cudaLaunchAttributeClusterDimension,
                                       &cudaLaunchAttribute::id);
  return found == attributes(config).end() ? nullptr : &*found;
}

bool same(uint3 a, uint3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

uint3 cluster_of_kernel(const unsigned* extents) {
  const auto extent = [](unsigned asked) { return asked == 0 ? 1 : asked; };
  return {extent(extents[0]), extent(extents[1]), extent(extents[2])};
}

}  // namespace

bool EmulatedDevice::is_cooperative(const cudaLaunchConfig_t& config) {
  const auto asks_for_it = [](const cudaLaunchAttribute& attribute) {
    return attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0;
  };
  return std::ranges::any_of(attributes(config), asks_for_it);
}

uint3 EmulatedDevice::cluster_of(const cudaLaunchConfig_t& config, const void* kernel) const {
  if (const cudaLaunchAttribute* asked = cluster_attribute(config)) {
    return {asked->val.clusterDim.x, asked->val.clusterDim.y, asked->val.clusterDim.z};
  }
  const unsigned* extents = program_.shared_variables().cluster(kernel);
  return extents == nullptr ? uint3{1, 1, 1} : cluster_of_kernel(extents);
}

cudaError_t EmulatedDevice::check_cluster(const cudaLaunchConfig_t& config, uint3 cluster,
                                          const void* kernel) const {
  const dim3 grid = config.gridDim;
  const unsigned* extents = program_.shared_variables().cluster(kernel);
  const std::uint64_t blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  const unsigned most =
      large_clusters_.contains(kernel) ? kMaxNonPortableCluster : kMaxPortableCluster;
  if (blocks == 0 || blocks > most ||
      (extents != nullptr && !same(cluster, cluster_of_kernel(extents))) ||
      grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
    return cudaErrorInvalidClusterSize;
  }
  if (blocks == 1 || !is_cooperative(config)) return cudaSuccess;
  fmt::print(stderr,
             "Warpgauge emulator: the emulator has no cooperative launch of clusters of several "
             "blocks; launch without cudaLaunchAttributeCooperative, or without clusters\n");
  return cudaErrorNotSupported;
}

cudaError_t EmulatedDevice::check(const cudaLaunchConfig_t& config, const void* kernel) const {
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  if (!is_possible(grid, block)) return cudaErrorInvalidConfiguration;
  if (config.dynamicSmemBytes > most_dynamic_shared(kernel) ||
      program_.shared_variables().static_bytes(kernel) > kDefaultSharedBytes ||
      !std::ranges::all_of(attributes(config), is_known)) {
    return cudaErrorInvalidValue;
  }
  const uint3 cluster = cluster_of(config, kernel);
  const cudaError_t error = check_cluster(config, cluster, kernel);
  if (error != cudaSuccess || !is_cooperative(config)) return error;
  const unsigned resident =
      kMultiprocessors *
      blocks_per_multiprocessor(kernel, block.x * block.y * block.z, config.dynamicSmemBytes);
  return std::uint64_t{grid.x} * grid.y * grid.z > resident ? cudaErrorCooperativeLaunchTooLarge
                                                            : cudaSuccess;
}

}  // namespace warpgauge::emulator
