// SPDX-License-Identifier: Apache-2.0
// Where the block is in its cluster, and the cluster in the grid.
#pragma once

#include "../abi.h"
#include "../builtin_variables.h"
#include "../qualifiers.h"

namespace warpgauge_emulator {

__forceinline__ uint3 block_in_cluster() {
  const uint3 blocks = cluster_dimensions();
  return {blockIdx.x % blocks.x, blockIdx.y % blocks.y, blockIdx.z % blocks.z};
}
__forceinline__ unsigned rank_in_cluster() {
  const uint3 blocks = cluster_dimensions();
  const uint3 index = block_in_cluster();
  return (index.z * blocks.y + index.y) * blocks.x + index.x;
}
__forceinline__ unsigned blocks_of_cluster() {
  const uint3 blocks = cluster_dimensions();
  return blocks.x * blocks.y * blocks.z;
}
__forceinline__ uint3 cluster_in_grid() {
  const uint3 blocks = cluster_dimensions();
  return {blockIdx.x / blocks.x, blockIdx.y / blocks.y, blockIdx.z / blocks.z};
}
__forceinline__ uint3 clusters_of_grid() {
  const uint3 blocks = cluster_dimensions();
  return {gridDim.x / blocks.x, gridDim.y / blocks.y, gridDim.z / blocks.z};
}

}  // namespace warpgauge_emulator
