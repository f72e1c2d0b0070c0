// SPDX-License-Identifier: Apache-2.0
// Accesses to the shared memory of another block of the cluster, and what an H200 counts of them:
// the lanes that stay in their own block's as if they were alone, the others in no counter of
// shared or global memory.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

enum class Visit { load, store, atomic };

inline constexpr int kVisitors = 32;  // threads of a block
inline constexpr int kVisitedWords = 64;
// Requests, and wavefronts, with which the two blocks first fill their words.
inline constexpr unsigned kVisitFills = 2 * kVisitedWords / kVisitors;

// For a grid of one cluster. The first block's lanes visit words `stride` apart: the first `own` of
// them its own, the others the second block's.
template <Visit visit>
__global__ void __cluster_dims__(2) visit_words(unsigned own, unsigned stride, int* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ int words[kVisitedWords];
  const auto cluster = cooperative_groups::this_cluster();
  for (int word = threadIdx.x; word < kVisitedWords; word += kVisitors) words[word] = 0;
  cluster.sync();
  if (cluster.block_rank() == 0) {
    const unsigned lane = threadIdx.x;
    int* const word = cluster.map_shared_rank(words, lane < own ? 0 : 1) + lane * stride;
    if (visit == Visit::load) out[lane] = *word;
    if (visit == Visit::store) *word = static_cast<int>(lane);
    if (visit == Visit::atomic) atomicAdd(word, 1);
  }
  cluster.sync();
#endif
}

struct CountedVisit {
  unsigned own, stride;
  unsigned requests, wavefronts;
};
inline constexpr CountedVisit kCountedVisits[] = {{32, 1, 1, 1}, {32, 2, 1, 2}, {20, 2, 1, 2},
                                                  {8, 2, 1, 1},  {0, 1, 0, 0},  {0, 2, 0, 0}};
