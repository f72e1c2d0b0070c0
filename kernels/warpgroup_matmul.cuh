// SPDX-License-Identifier: Apache-2.0
// The product of tensor_matmul.cuh as an H100 or H200 wants it: C = A · Bᵀ, bf16, k and n multiples
// of 8.
//
// Warpgroups multiply tiles straight from shared memory, into which one thread has them copied: a
// bulk tensor copy is one instruction a tile, of a box of a matrix that a tensor map describes,
// laid down swizzled as the multiplication wants it; beyond the matrix it fills in 0. Barriers in
// shared memory say when a tile has come (they count bytes) and when it has been used. No counter
// sees conflicts of these accesses by their kind; there are none in this layout. Needs sm_90a;
// elsewhere it does nothing.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "kernels/warpgroup_multiply.cuh"

// A block has two warpgroups that multiply, 64 × 256 each, and one that has tiles copied.
inline constexpr int kWarpgroup = 128;
inline constexpr int kWarpgroupThreads = 3 * kWarpgroup;
inline constexpr int kWarpgroupRows = 128;
inline constexpr int kWarpgroupColumns = 256;
inline constexpr int kWarpgroupDepth = 64;  // 128 bytes, what the swizzle goes over

// The results on their way out take the memory of a fourth pair of tiles.
template <bool BulkStore>
inline constexpr int kWarpgroupStages = BulkStore ? 3 : 4;

struct WarpgroupTiles {
  __nv_bfloat16 a[kWarpgroupRows * kWarpgroupDepth];
  __nv_bfloat16 b[kWarpgroupColumns * kWarpgroupDepth];
};

template <bool BulkStore>
struct WarpgroupMemory {
  WarpgroupTiles tiles[kWarpgroupStages<BulkStore>];
  __nv_bfloat16 results[BulkStore ? kWarpgroupRows * kWarpgroupColumns : 8];
  std::uint64_t filled[kWarpgroupStages<BulkStore>];
  std::uint64_t used[kWarpgroupStages<BulkStore>];
};

// Swizzled tiles begin on a boundary of 1,024 bytes; dynamic shared memory need not.
template <bool BulkStore>
inline constexpr std::size_t kWarpgroupSharedBytes = sizeof(WarpgroupMemory<BulkStore>) + 1024;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline std::uint32_t warpgroup_address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// A phase of a barrier ends when `arrivals` threads have arrived, and the bytes that they
// announced.
__device__ inline void barrier_begin(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(warpgroup_address(barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ inline void barrier_announce(std::uint64_t* barrier, int bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(warpgroup_address(barrier)),
      "r"(bytes)
      : "memory");
}
// At the barrier at the same place in block `block` of the cluster.
__device__ inline void barrier_arrive(std::uint64_t* barrier, int block) {
  asm volatile(
      "{ .reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(warpgroup_address(barrier)),
      "r"(block)
      : "memory");
}
// Until the phase of this parity has ended; that before the first one counts as ended, and is odd.
__device__ inline void barrier_wait(std::uint64_t* barrier, int parity) {
  asm volatile(
      "{ .reg .pred ended;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
      "@!ended bra again; }" ::"r"(warpgroup_address(barrier)),
      "r"(parity)
      : "memory");
}

// The box at (row, column) of a matrix, to this block, or to the same place in all blocks of the
// mask.
__device__ inline void bulk_copy(void* to, const CUtensorMap& map, std::uint64_t* barrier, int row,
                                 int column) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%3, %4}], [%2];" ::"r"(warpgroup_address(to)),
      "l"(&map), "r"(warpgroup_address(barrier)), "r"(column), "r"(row)
      : "memory");
}
__device__ inline void bulk_copy_to_all(void* to, const CUtensorMap& map, std::uint64_t* barrier,
                                        int row, int column, unsigned short mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(warpgroup_address(to)),
      "l"(&map), "r"(warpgroup_address(barrier)), "r"(column), "r"(row), "h"(mask)
      : "memory");
}
__device__ inline void bulk_store(const CUtensorMap& map, const void* from, int row, int column) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
      "r"(warpgroup_address(from)), "r"(column), "r"(row)
      : "memory");
}

// A tile for the multiplication: rows of 128 bytes, swizzled, 8 of them 1,024 bytes.
__device__ inline std::uint64_t warpgroup_tile(const void* tile) {
  return (warpgroup_address(tile) & 0x3ffffU) >> 4 | std::uint64_t{1} << 16 |
         std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

__device__ inline std::uint32_t warpgroup_pair(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

// Where a block is: which of its cluster, and which stage is next in which phase.
struct WarpgroupPlace {
  int rank = 0;
  int stage = 0;
  int phase = 0;

  template <int Stages>
  __device__ void advance() {
    if (++stage < Stages) return;
    stage = 0;
    phase ^= 1;
  }
};

// The first row and column of a tile. The blocks of a cluster lie below each other; clusters are
// numbered so that those which run at one time share their tiles: 8 down, then across.
template <int Cluster>
__device__ inline int2 warpgroup_position(int tile, int rank, int m, int n) {
  const int down = (m + Cluster * kWarpgroupRows - 1) / (Cluster * kWarpgroupRows);
  const int across = (n + kWarpgroupColumns - 1) / kWarpgroupColumns;
  const int group = tile / (8 * across) * 8;
  const int height = down - group < 8 ? down - group : 8;
  const int row = (group + tile % (8 * across) % height) * Cluster + rank;
  return make_int2(row * kWarpgroupRows, tile % (8 * across) / height * kWarpgroupColumns);
}

// One thread: has the tiles copied, each as soon as all have used what lay there. In a cluster each
// block copies its part of B's tile to all.
template <int Cluster, bool BulkStore>
__device__ inline void warpgroup_copy(WarpgroupMemory<BulkStore>& memory, const CUtensorMap& a,
                                      const CUtensorMap& b, int2 first, int k,
                                      WarpgroupPlace& place) {
  constexpr int kPart = kWarpgroupColumns / Cluster;
  for (int depth = 0; depth < k; depth += kWarpgroupDepth) {
    WarpgroupTiles& tiles = memory.tiles[place.stage];
    std::uint64_t* filled = &memory.filled[place.stage];
    barrier_wait(&memory.used[place.stage], place.phase ^ 1);
    barrier_announce(filled, sizeof(WarpgroupTiles));
    bulk_copy(tiles.a, a, filled, first.x, depth);
    if constexpr (Cluster == 1) {
      bulk_copy(tiles.b, b, filled, first.y, depth);
    } else {
      bulk_copy_to_all(tiles.b + place.rank * kPart * kWarpgroupDepth, b, filled,
                       first.y + place.rank * kPart, depth, (1 << Cluster) - 1);
    }
    place.advance<kWarpgroupStages<BulkStore>>();
  }
}

// The compiler must not move the sums across what it does not know of, the multiplication at work.
__device__ inline void warpgroup_keep(float (&sums)[128]) {
#pragma unroll
  for (float& sum : sums) asm volatile("" : "+f"(sum)::"memory");
}

// A warpgroup: multiplies a tile, always with one group of four multiplications at work, and says
// of the stage before that it was used.
template <int Cluster, bool BulkStore>
__device__ inline void warpgroup_multiply_tile(WarpgroupMemory<BulkStore>& memory,
                                               float (&sums)[128], int k, WarpgroupPlace& place) {
  const int half = threadIdx.x / kWarpgroup - 1;
  const int thread = threadIdx.x % kWarpgroup;
  const auto release = [&](int stage) {
    if (thread < Cluster) barrier_arrive(&memory.used[stage], thread);
  };
  int before = -1;
  for (int depth = 0; depth < k; depth += kWarpgroupDepth) {
    barrier_wait(&memory.filled[place.stage], place.phase);
    const WarpgroupTiles& tiles = memory.tiles[place.stage];
    const std::uint64_t left = warpgroup_tile(tiles.a + half * 64 * kWarpgroupDepth);
    const std::uint64_t right = warpgroup_tile(tiles.b);
    warpgroup_keep(sums);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int step = 0; step < kWarpgroupDepth / 16; ++step) {
      warpgroup_multiply(sums, left + 2 * step, right + 2 * step);  // 32 bytes on
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    if (before >= 0) {
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      release(before);
    }
    before = place.stage;
    place.advance<kWarpgroupStages<BulkStore>>();
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  warpgroup_keep(sums);
  release(before);
}

// Straight to global memory: 4 lanes write 16 bytes of a row, half a sector.
__device__ inline void warpgroup_store(const float (&sums)[128], __nv_bfloat16* c, int2 first,
                                       int m, int n) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first.x + threadIdx.x % kWarpgroup / 32 * 16 + half * 8 + lane / 4;
    if (row >= m) continue;
    __nv_bfloat16* out = c + std::size_t(row) * n + first.y;
#pragma unroll
    for (int j = 0; j < kWarpgroupColumns / 8; ++j) {
      if (first.y + 8 * j >= n) continue;
      *reinterpret_cast<std::uint32_t*>(out + 8 * j + lane % 4 * 2) =
          warpgroup_pair(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
    }
  }
}

// Through shared memory, swizzled as a tensor map of boxes of 64 × 64 says, 1 wavefront a matrix of
// 8 × 8 that stmatrix stores; then by bulk tensor stores, which go on while the next tile is
// multiplied.
__device__ inline void warpgroup_store_bulk(const float (&sums)[128], const CUtensorMap& c,
                                            __nv_bfloat16* results, int2 first) {
  const int half = threadIdx.x / kWarpgroup - 1;
  const int lane = threadIdx.x % 32;
  const int row = threadIdx.x % kWarpgroup / 32 * 16 + lane % 16;
  __nv_bfloat16* own = results + half * 64 * kWarpgroupColumns;
  const bool stores = threadIdx.x % kWarpgroup == 0;
  if (stores) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  asm volatile("bar.sync %0, %1;" ::"r"(half + 1), "n"(kWarpgroup) : "memory");
#pragma unroll
  for (int j = 0; j < kWarpgroupColumns / 8; j += 2) {
    const int eighth = j % 8 + lane / 16;
    const auto to = warpgroup_address(own + j / 8 * 64 * 64 + row * 64 + (eighth ^ row % 8) * 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                 "r"(warpgroup_pair(sums[4 * j], sums[4 * j + 1])),
                 "r"(warpgroup_pair(sums[4 * j + 2], sums[4 * j + 3])),
                 "r"(warpgroup_pair(sums[4 * j + 4], sums[4 * j + 5])),
                 "r"(warpgroup_pair(sums[4 * j + 6], sums[4 * j + 7]))
                 : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync %0, %1;" ::"r"(half + 1), "n"(kWarpgroup) : "memory");
  if (!stores) return;
#pragma unroll
  for (int part = 0; part < kWarpgroupColumns / 64; ++part) {
    bulk_store(c, own + part * 64 * 64, first.x, first.y + part * 64);
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

#endif

// As many blocks as the GPU holds, one a multiprocessor, each taking a tile after the other: what
// copies is ahead of what multiplies, also from one tile to the next. The copying warpgroup gives
// registers to the others, whose sums need 128 a thread.
//
// The maps' boxes: of a 128 × 64, of b 256 / Cluster × 64, of c 64 × 64, all swizzled by 128 bytes.
template <int Cluster, bool BulkStore>
__global__ void __cluster_dims__(Cluster, 1, 1) __launch_bounds__(kWarpgroupThreads, 1)
    warpgroup_matmul(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                     const __grid_constant__ CUtensorMap c_map, __nv_bfloat16* c, int m, int n,
                     int k) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char warpgroup_bytes[];
  const std::uint32_t over = warpgroup_address(warpgroup_bytes) % 1024;
  auto& memory = *reinterpret_cast<WarpgroupMemory<BulkStore>*>(warpgroup_bytes +
                                                                (over == 0 ? 0 : 1024 - over));
  WarpgroupPlace place;
  if (Cluster > 1) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(place.rank));
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kWarpgroupStages<BulkStore>; ++stage) {
      barrier_begin(&memory.filled[stage], 1);
      barrier_begin(&memory.used[stage], 2 * Cluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  const int down = (m + Cluster * kWarpgroupRows - 1) / (Cluster * kWarpgroupRows);
  const int tiles = down * ((n + kWarpgroupColumns - 1) / kWarpgroupColumns);
  const int step = gridDim.x / Cluster;
  if (threadIdx.x < kWarpgroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    for (int tile = blockIdx.x / Cluster; threadIdx.x == 0 && tile < tiles; tile += step) {
      warpgroup_copy<Cluster>(memory, a, b, warpgroup_position<Cluster>(tile, place.rank, m, n), k,
                              place);
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    for (int tile = blockIdx.x / Cluster; tile < tiles; tile += step) {
      int2 first = warpgroup_position<Cluster>(tile, place.rank, m, n);
      first.x += (threadIdx.x / kWarpgroup - 1) * 64;
      float sums[128] = {};
      warpgroup_multiply_tile<Cluster>(memory, sums, k, place);
      if constexpr (BulkStore) {
        warpgroup_store_bulk(sums, c_map, memory.results, first);
      } else {
        warpgroup_store(sums, c, first, m, n);
      }
    }
    if (BulkStore) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
  // No block ends while others of its cluster may still reach into its memory.
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}
