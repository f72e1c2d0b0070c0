// SPDX-License-Identifier: Apache-2.0
// Product of two matrices of floats: C = A · B, A m × k, B k × n, C m × n, all row-major, any
// sizes.
//
// Every element of A is needed n times and every element of B m times. Each step below moves that
// reuse closer to the arithmetic: from global memory to shared memory to registers.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstddef>

// Tiles of C are counted row by row along x, the only grid dimension that takes more than 65,535
// blocks.
__host__ __device__ inline std::size_t matmul_tiles(std::size_t extent, std::size_t tile) {
  return (extent + tile - 1) / tile;
}

// One element of C a thread, both factors from global memory: 2 loads for each multiplication. A
// warp computes 32 neighbours in a row of C: it reads one element of A for all lanes, and 32
// neighbours of B. Tile × Tile threads.
template <int Tile>
__global__ void matmul_global(const float* a, const float* b, float* c, std::size_t m,
                              std::size_t n, std::size_t k) {
  const std::size_t tiles_across = matmul_tiles(n, Tile);
  const std::size_t row = blockIdx.x / tiles_across * Tile + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_across * Tile + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// C in double precision, one element per thread; the reference for checks.
__global__ void matmul_in_double(const float* a, const float* b, double* c, std::size_t m,
                                 std::size_t n, std::size_t k) {
  const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (std::size_t i = 0; i < k; ++i) sum += double{a[row * k + i]} * b[i * n + column];
  c[row * n + column] = sum;
}

// Tiles of A and B in shared memory, loaded once for Tile uses: 2 loads of shared memory for each
// multiplication, 1 wavefront a request (A's element is the same for a row of lanes, B's are
// neighbours), two barriers a tile. Tile × Tile threads, one element of C each.
template <int Tile>
__global__ void matmul_tiled(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                             std::size_t k) {
  __shared__ float tile_a[Tile][Tile];
  __shared__ float tile_b[Tile][Tile];
  const std::size_t tiles_across = matmul_tiles(n, Tile);
  const std::size_t row = blockIdx.x / tiles_across * Tile + threadIdx.y;
  const std::size_t column = blockIdx.x % tiles_across * Tile + threadIdx.x;
  float sum = 0;
  for (std::size_t first = 0; first < k; first += Tile) {
    const std::size_t column_a = first + threadIdx.x;
    const std::size_t row_b = first + threadIdx.y;
    tile_a[threadIdx.y][threadIdx.x] = row < m && column_a < k ? a[row * k + column_a] : 0.0F;
    tile_b[threadIdx.y][threadIdx.x] = row_b < k && column < n ? b[row_b * n + column] : 0.0F;
    __syncthreads();
    for (int i = 0; i < Tile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

// Register blocking: a thread computes 8 × 8 elements, so that 16 loads of shared memory serve 64
// multiplications. A block of 16 × 16 threads computes 128 × 128, from tiles of 8 along k.
inline constexpr int kMatmulBlocked = 128;
inline constexpr int kMatmulBlockedDepth = 8;
inline constexpr int kMatmulBlockedThreads = 16;

// A thread's rows are 16 apart, and so its columns: neighbouring lanes read neighbouring words of a
// row of B's tile. A's tile is stored by columns, 8 along k of 4 rows by a warp: padded by 4, they
// lie in 32 banks. 1 wavefront a request.
__global__ void __launch_bounds__(kMatmulBlockedThreads* kMatmulBlockedThreads)
    matmul_register_blocked(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                            std::size_t k) {
  constexpr int kTile = kMatmulBlocked;
  constexpr int kDepth = kMatmulBlockedDepth;
  constexpr int kThreads = kMatmulBlockedThreads;
  constexpr int kElements = kTile / kThreads;  // a thread, along each side
  __shared__ float tile_a[kDepth][kTile + 4];
  __shared__ float tile_b[kDepth][kTile];
  const std::size_t tiles_across = matmul_tiles(n, kTile);
  const std::size_t first_row = blockIdx.x / tiles_across * kTile;
  const std::size_t first_column = blockIdx.x % tiles_across * kTile;
  const int thread = threadIdx.y * kThreads + threadIdx.x;

  float sums[kElements][kElements] = {};
  for (std::size_t first = 0; first < k; first += kDepth) {
#pragma unroll
    for (int i = thread; i < kTile * kDepth; i += kThreads * kThreads) {
      const std::size_t row = first_row + i / kDepth;
      const std::size_t column = first + i % kDepth;
      tile_a[i % kDepth][i / kDepth] = row < m && column < k ? a[row * k + column] : 0.0F;
    }
#pragma unroll
    for (int i = thread; i < kTile * kDepth; i += kThreads * kThreads) {
      const std::size_t row = first + i / kTile;
      const std::size_t column = first_column + i % kTile;
      tile_b[i / kTile][i % kTile] = row < k && column < n ? b[row * n + column] : 0.0F;
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < kDepth; ++depth) {
      float left[kElements];
      float right[kElements];
#pragma unroll
      for (int i = 0; i < kElements; ++i) left[i] = tile_a[depth][threadIdx.y + i * kThreads];
#pragma unroll
      for (int j = 0; j < kElements; ++j) right[j] = tile_b[depth][threadIdx.x + j * kThreads];
#pragma unroll
      for (int i = 0; i < kElements; ++i) {
#pragma unroll
        for (int j = 0; j < kElements; ++j) sums[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    const std::size_t row = first_row + threadIdx.y + i * kThreads;
#pragma unroll
    for (int j = 0; j < kElements; ++j) {
      const std::size_t column = first_column + threadIdx.x + j * kThreads;
      if (row < m && column < n) c[row * n + column] = sums[i][j];
    }
  }
}

// The best ones. A block of eight warps computes 128 × 256, each warp 64 × 64, each thread 8 × 16
// in groups of 4 × 4: the lanes of a warp form 8 rows of 4. Tiles are 8 deep.
inline constexpr int kMatmulTileRows = 128;
inline constexpr int kMatmulTileColumns = 256;
inline constexpr int kMatmulDepth = 8;
inline constexpr int kMatmulThreads = 256;

// A's tile is stored by columns, so that a thread reads four rows at once, and padded by 4: 8
// neighbours along k of 4 rows, which a warp copies together, lie in 32 banks.
struct MatmulTiles {
  float a[kMatmulDepth][kMatmulTileRows + 4];
  float b[kMatmulDepth][kMatmulTileColumns];
};

// Copies the tiles that a block needs, one after the other along k; what lies beyond the matrices
// becomes 0. CopyBytes, for B: 16 where n is a multiple of four and B lies on a 16-byte boundary,
// otherwise 4. A is copied word by word: only so can it be turned round on the way. Whole: the
// matrices are whole tiles, and nothing is to be tested.
//
// A thread must keep little state for this, since the sums take half of its registers: two
// pointers and one bit per copy.
template <int CopyBytes, bool Whole>
class MatmulCopy {
 public:
  __device__ MatmulCopy(const float* a, const float* b, std::size_t first_row,
                        std::size_t first_column, std::size_t m, std::size_t n, std::size_t k)
      : a_(a + (first_row + row_a()) * k + depth_a()),
        b_(b + depth_b() * n + first_column + column_b()),
        k_(k),
        n_(n),
        left_(k == 0 ? 1 : static_cast<int>((k + kMatmulDepth - 1) / kMatmulDepth)) {
    const int last = static_cast<int>(k - (left_ - 1) * std::size_t{kMatmulDepth});
#pragma unroll
    for (int i = 0; i < kCopiesA; ++i) {
      const bool inside = first_row + row_a() + i * kRowsApartA < m;
      inside_ |= inside ? 1U << i : 0;
      inside_last_ |= inside && depth_a() < last ? 1U << i : 0;
    }
#pragma unroll
    for (int i = 0; i < kCopiesB; ++i) {
      const bool inside = first_column + column_b() < n;
      inside_ |= inside ? 1U << (kCopiesA + i) : 0;
      inside_last_ |= inside && depth_b() + i * kRowsApartB < last ? 1U << (kCopiesA + i) : 0;
    }
  }

  // Begins to copy the next tiles.
  __device__ void begin(MatmulTiles& tiles) {
    const unsigned inside = Whole ? ~0U : --left_ == 0 ? inside_last_ : inside_;
#pragma unroll
    for (int i = 0; i < kCopiesA; ++i) {
      __pipeline_memcpy_async(&tiles.a[depth_a()][row_a() + i * kRowsApartA],
                              a_ + i * kRowsApartA * k_, 4, (inside >> i & 1U) != 0 ? 0 : 4);
    }
#pragma unroll
    for (int i = 0; i < kCopiesB; ++i) {
      __pipeline_memcpy_async(&tiles.b[depth_b() + i * kRowsApartB][column_b()],
                              b_ + i * kRowsApartB * n_, CopyBytes,
                              (inside >> (kCopiesA + i) & 1U) != 0 ? 0 : CopyBytes);
    }
    a_ += kMatmulDepth;
    b_ += kMatmulDepth * n_;
  }

 private:
  static constexpr int kWords = CopyBytes / 4;
  static constexpr int kAcrossB = kMatmulTileColumns / kWords;
  static constexpr int kRowsApartA = kMatmulThreads / kMatmulDepth;
  static constexpr int kRowsApartB = kMatmulThreads / kAcrossB;
  static constexpr int kCopiesA = kMatmulTileRows / kRowsApartA;
  static constexpr int kCopiesB = kMatmulDepth / kRowsApartB;

  // The first element of each tile that the calling thread copies.
  __device__ static int depth_a() { return threadIdx.x % kMatmulDepth; }
  __device__ static int row_a() { return threadIdx.x / kMatmulDepth; }
  __device__ static int depth_b() { return threadIdx.x / kAcrossB; }
  __device__ static int column_b() { return threadIdx.x % kAcrossB * kWords; }

  const float* a_;
  const float* b_;
  std::size_t k_;
  std::size_t n_;
  int left_;  // tiles
  unsigned inside_ = 0;
  unsigned inside_last_ = 0;
};

__device__ inline void matmul_load_four(float* values, const float* from) {
  const float4 v = *reinterpret_cast<const float4*>(from);
  values[0] = v.x;
  values[1] = v.y;
  values[2] = v.z;
  values[3] = v.w;
}

// What a thread multiplies in one step along k: 8 elements of A's tile and 16 of B's.
__device__ inline void matmul_load_fragment(float (&left)[8], float (&right)[16],
                                            const MatmulTiles& tiles, int depth, int row,
                                            int column) {
#pragma unroll
  for (int i = 0; i < 2; ++i) matmul_load_four(&left[4 * i], &tiles.a[depth][row + 32 * i]);
#pragma unroll
  for (int j = 0; j < 4; ++j) matmul_load_four(&right[4 * j], &tiles.b[depth][column + 16 * j]);
}

// Which of the 8 rows of 4 a lane is in. A read of 16 bytes a lane goes in quarters of a warp, and
// two quarters become one wavefront where each lane reads what its neighbour, or the lane two
// further on, reads. Row by row, the reads of B's tile have no such pairs: 2 wavefronts for A, 4
// for B. Merged, the lowest bit of the lane chooses the column and the next one the row: 2 for
// either.
template <bool Merged>
__device__ inline int matmul_lane_row(int lane) {
  return Merged ? lane / 2 % 4 + lane / 16 * 4 : lane / 4;
}
template <bool Merged>
__device__ inline int matmul_lane_column(int lane) {
  return Merged ? lane % 2 + lane / 8 % 2 * 2 : lane % 4;
}

// Everything twice. Two pairs of tiles: while one is computed with, asynchronous copies fill the
// other without a detour through registers. Two fragments in registers: while one is multiplied,
// the next is loaded. 6 loads of 16 bytes from shared memory serve 128 multiplications, free of
// conflicts; one barrier a tile. CopyBytes, Whole: see MatmulCopy. `a`, `b` and `c` must lie on
// 16-byte boundaries.
template <int CopyBytes, bool Whole, bool Merged>
__device__ __forceinline__ void matmul_by_warps(const float* a, const float* b, float* c,
                                                std::size_t m, std::size_t n, std::size_t k) {
  __shared__ __align__(16) MatmulTiles buffers[2];
  const std::size_t tiles_across = matmul_tiles(n, kMatmulTileColumns);
  const std::size_t first_row = blockIdx.x / tiles_across * kMatmulTileRows;
  const std::size_t first_column = blockIdx.x % tiles_across * kMatmulTileColumns;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // Four rows, and four 32 further on; four columns, and three times four 16 further on.
  const int row = warp / 4 * 64 + matmul_lane_row<Merged>(lane) * 4;
  const int column = warp % 4 * 64 + matmul_lane_column<Merged>(lane) * 4;

  float sums[8][16] = {};
  float left[2][8];
  float right[2][16];
  MatmulCopy<CopyBytes, Whole> copy(a, b, first_row, first_column, m, n, k);
  copy.begin(buffers[0]);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  matmul_load_fragment(left[0], right[0], buffers[0], 0, row, column);

  int current = 0;
  for (int tiles = static_cast<int>(matmul_tiles(k, kMatmulDepth)); tiles > 0; --tiles) {
    const int next = tiles > 1 ? 1 - current : current;
    if (tiles > 1) copy.begin(buffers[next]);
    __pipeline_commit();
#pragma unroll
    for (int depth = 0; depth < kMatmulDepth; ++depth) {
      const int now = depth % 2;
      const int coming = 1 - now;
      if (depth + 1 < kMatmulDepth) {
        matmul_load_fragment(left[coming], right[coming], buffers[current], depth + 1, row, column);
      } else {
        // After the last tile this loads unused data, but a branch here would cost more.
        __pipeline_wait_prior(0);
        __syncthreads();
        matmul_load_fragment(left[coming], right[coming], buffers[next], 0, row, column);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
#pragma unroll
        for (int j = 0; j < 16; ++j) sums[i][j] += left[now][i] * right[now][j];
      }
    }
    current = next;
  }

#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::size_t out_row = first_row + row + i / 4 * 32 + i % 4;
    if (!Whole && out_row >= m) continue;
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
      const std::size_t out_column = first_column + column + j * 4;
      float* out = c + out_row * n + out_column;
      if constexpr (CopyBytes == 16) {
        if (Whole || out_column < n) {
          *reinterpret_cast<float4*>(out) =
              make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        }
      } else {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          if (out_column + part < n) out[part] = sums[i][j + part];
        }
      }
    }
  }
}

// The lanes of a warp row by row.
template <int CopyBytes>
__global__ void __launch_bounds__(kMatmulThreads)
    matmul_double_buffered(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                           std::size_t k) {
  matmul_by_warps<CopyBytes, false, false>(a, b, c, m, n, k);
}

// The lanes merged: 2 wavefronts a request instead of 3.3. On an H200 that saves 2 to 4 % of the
// time. Of what is whole tiles nothing is tested, which saves another 1.5 %. n must be a multiple
// of four.
template <int CopyBytes, bool Whole>
__global__ void __launch_bounds__(kMatmulThreads)
    matmul_merged_reads(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                        std::size_t k) {
  matmul_by_warps<CopyBytes, Whole, true>(a, b, c, m, n, k);
}
