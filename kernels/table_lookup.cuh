// SPDX-License-Identifier: Apache-2.0
// Lookups in a table that no multiprocessor can hold: out[i] = table[index[i]], 65,536 words, 256
// KiB.
//
// From global memory it comes through the caches. Distributed, the blocks of a cluster hold a
// quarter each in their shared memory, and read each other's. Needs compute capability 9.0 for
// that.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>

inline constexpr int kTableWords = 1 << 16;
inline constexpr int kTableBlock = 512;
inline constexpr int kTableCluster = 4;
inline constexpr int kTablePart = kTableWords / kTableCluster;
inline constexpr std::size_t kTablePartBytes = kTablePart * sizeof(int);

// Lanes read what they happen to need: up to 32 sectors a request. The table is larger than the L1
// cache, which keeps most of it.
__global__ void table_lookup_global(const int* table, const unsigned* index, int* out,
                                    std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * kTableBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kTableBlock + threadIdx.x; i < n; i += step) {
    out[i] = table[index[i] % kTableWords];
  }
}

// Each block copies its part, once; all wait for the cluster before the first lookup, and before
// the first of them ends, since its memory ends with it. The counters of shared memory see only the
// lookups in the block's own part: three quarters cross the network between multiprocessors, each
// lane on its own.
__global__ void __cluster_dims__(kTableCluster, 1, 1)
    table_lookup_distributed(const int* table, const unsigned* index, int* out, std::size_t n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ int table_part[];
  const auto cluster = cooperative_groups::this_cluster();
  const int first = static_cast<int>(cluster.block_rank()) * kTablePart;
  for (int word = threadIdx.x; word < kTablePart; word += kTableBlock) {
    table_part[word] = table[first + word];
  }
  cluster.sync();
  const std::size_t step = std::size_t{gridDim.x} * kTableBlock;
  for (std::size_t i = std::size_t{blockIdx.x} * kTableBlock + threadIdx.x; i < n; i += step) {
    const unsigned word = index[i] % kTableWords;
    out[i] = cluster.map_shared_rank(table_part, word / kTablePart)[word % kTablePart];
  }
  cluster.sync();
#endif
}
