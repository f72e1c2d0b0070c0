// SPDX-License-Identifier: Apache-2.0
// Prefix sums of n integers, which wrap around. Inclusive: out[i] = in[0] + … + in[i]; exclusive:
// the same without in[i].
//
// The first four scan tile by tile and leave each tile's total; the totals are scanned in the same
// way, and scan_add_offsets adds to each tile the sum of the tiles before it. They read the input
// and write the output twice; the last one does it in one pass.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

// Elements of a tile, which one block scans.
inline constexpr unsigned kScanTile = 512;

// Hillis and Steele, "Data parallel algorithms", 1986: in step s every element adds the one 2^s
// before it. 9 steps of 512 additions, n log n in all, between two buffers: one barrier a step, 1
// wavefront a request. kScanTile threads.
template <bool Inclusive>
__global__ void scan_hillis_steele(const int* in, int* out, int* totals, std::size_t n) {
  __shared__ int words[2][kScanTile];
  const unsigned thread = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kScanTile + thread;
  unsigned from = 0;
  words[from][thread] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned step = 1; step < kScanTile; step *= 2) {
    int sum = words[from][thread];
    if (thread >= step) sum += words[from][thread - step];
    from = 1 - from;
    words[from][thread] = sum;
    __syncthreads();
  }
  if (i < n) out[i] = Inclusive ? words[from][thread] : thread > 0 ? words[from][thread - 1] : 0;
  if (thread == 0) totals[blockIdx.x] = words[from][kScanTile - 1];
}

// Where element i of a tile lies. Padded: one word is left out after every 32, and one more after
// every 1024, so that elements 2^s apart lie in different banks. (The shifts bind weaker than the
// addition: each needs its parentheses.)
template <bool Padded>
__host__ __device__ constexpr unsigned scan_word(unsigned i) {
  return Padded ? i + (i >> 5) + (i >> 10) : i;
}
static_assert(scan_word<true>(1023) == 1023 + 31 && scan_word<true>(1024) == 1024 + 32 + 1);

// Blelloch, "Prefix sums and their applications", 1990: sums up a tree, then offsets down it. 2 · n
// additions, by half as many threads as elements, in 18 steps of one barrier each. The elements of
// a step are 2^s apart: without padding up to 16 wavefronts a request, with it 1 (M. Harris,
// S. Sengupta and J. Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, 2007). kScanTile /
// 2 threads.
template <bool Inclusive, bool Padded>
__global__ void scan_blelloch(const int* in, int* out, int* totals, std::size_t n) {
  __shared__ int words[scan_word<Padded>(kScanTile - 1) + 1];
  constexpr unsigned kHalf = kScanTile / 2;
  const unsigned thread = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * kScanTile + thread;
  const std::size_t second = first + kHalf;
  const int first_in = first < n ? in[first] : 0;
  const int second_in = second < n ? in[second] : 0;
  words[scan_word<Padded>(thread)] = first_in;
  words[scan_word<Padded>(thread + kHalf)] = second_in;

  unsigned distance = 1;
  for (unsigned active = kHalf; active > 0; active /= 2) {
    __syncthreads();
    if (thread < active) {
      const unsigned left = scan_word<Padded>(distance * (2 * thread + 1) - 1);
      const unsigned right = scan_word<Padded>(distance * (2 * thread + 2) - 1);
      words[right] += words[left];
    }
    distance *= 2;
  }
  if (thread == 0) {
    constexpr unsigned kRoot = scan_word<Padded>(kScanTile - 1);
    totals[blockIdx.x] = words[kRoot];
    words[kRoot] = 0;
  }
  for (unsigned active = 1; active <= kHalf; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (thread < active) {
      const unsigned left = scan_word<Padded>(distance * (2 * thread + 1) - 1);
      const unsigned right = scan_word<Padded>(distance * (2 * thread + 2) - 1);
      const int sum = words[left];
      const int above = words[right];
      words[left] = above;
      words[right] = above + sum;
    }
  }
  __syncthreads();
  if (first < n) out[first] = words[scan_word<Padded>(thread)] + (Inclusive ? first_in : 0);
  if (second < n) {
    out[second] = words[scan_word<Padded>(thread + kHalf)] + (Inclusive ? second_in : 0);
  }
}

// The inclusive scan of one value a lane.
__device__ inline int scan_warp(int value) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned step = 1; step < 32; step *= 2) {
    const int before = __shfl_up_sync(0xffffffffU, value, step);
    if (lane >= step) value += before;
  }
  return value;
}

// Hillis and Steele within each warp, by registers: shared memory holds one total a warp, two
// barriers a tile. kScanTile threads.
template <bool Inclusive>
__global__ void scan_warp_shuffle(const int* in, int* out, int* totals, std::size_t n) {
  constexpr unsigned kWarps = kScanTile / 32;
  __shared__ int warp_totals[kWarps];
  const unsigned warp = threadIdx.x / 32;
  const std::size_t i = std::size_t{blockIdx.x} * kScanTile + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  int sum = scan_warp(value);
  if (threadIdx.x % 32 == 31) warp_totals[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const int total = scan_warp(threadIdx.x < kWarps ? warp_totals[threadIdx.x] : 0);
    if (threadIdx.x < kWarps) warp_totals[threadIdx.x] = total;
  }
  __syncthreads();
  if (warp > 0) sum += warp_totals[warp - 1];
  if (i < n) out[i] = Inclusive ? sum : sum - value;
  if (threadIdx.x == 0) totals[blockIdx.x] = warp_totals[kWarps - 1];
}

// out[i] += offsets[i's tile]. kScanTile threads.
__global__ void scan_add_offsets(int* out, const int* offsets, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kScanTile + threadIdx.x;
  if (i < n) out[i] += offsets[blockIdx.x];
}

// Single pass: D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back", 2016. A tile publishes its own sum as soon as it knows it, and later the sum of
// everything up to its end. To get the sum of everything before it, a tile looks back over its
// predecessors until one has published that. Reads the input and writes the output once.
inline constexpr unsigned kLookbackBlock = 512;

// Vectors of four that a thread holds.
inline constexpr unsigned kLookbackVectors = 8;
inline constexpr std::size_t kLookbackTile = std::size_t{4} * kLookbackVectors * kLookbackBlock;

// A tile's published state: a 32-bit value and its meaning, written together, so that no fence is
// needed between them.
using LookbackState = std::uint64_t;
inline constexpr LookbackState kLookbackSumOfTile = LookbackState{1} << 32;
inline constexpr LookbackState kLookbackSumOfAll = LookbackState{2} << 32;

__device__ inline LookbackState lookback_state(LookbackState meaning, int value) {
  return meaning | static_cast<unsigned>(value);
}

// Nothing published, no tile taken.
__global__ void scan_lookback_clear(LookbackState* states, unsigned* next_tile, std::size_t tiles) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < tiles) states[i] = 0;
  if (i == 0) *next_tile = 0;
}

// The sum of all tiles before `tile`. Called by one whole warp, which looks at 32 predecessors at
// once and waits until all of them have published something.
__device__ inline int scan_look_back(volatile const LookbackState* states, unsigned tile) {
  constexpr unsigned kAll = 0xffffffffU;
  const unsigned lane = threadIdx.x % 32;
  int sum = 0;
  for (long long nearest = static_cast<long long>(tile) - 1;; nearest -= 32) {
    const long long predecessor = nearest - lane;
    LookbackState state = kLookbackSumOfAll;  // before the first tile: 0
    do {
      if (predecessor >= 0) state = states[predecessor];
    } while (__any_sync(kAll, state == 0));
    const unsigned know_all = __ballot_sync(kAll, state >= kLookbackSumOfAll);
    const unsigned last = know_all != 0 ? __ffs(static_cast<int>(know_all)) - 1 : 31;
    int part = lane <= last ? static_cast<int>(static_cast<unsigned>(state)) : 0;
    for (int step = 16; step > 0; step /= 2) part += __shfl_xor_sync(kAll, part, step);
    sum += part;
    if (know_all != 0) return sum;
  }
}

// in[i] to in[i + 3], 0 beyond the end; i is a multiple of four.
__device__ inline int4 scan_load(const int* in, std::size_t i, std::size_t n) {
  int4 v = make_int4(0, 0, 0, 0);
  if (i + 4 <= n) return __ldcs(reinterpret_cast<const int4*>(in + i));
  if (i < n) v.x = in[i];
  if (i + 1 < n) v.y = in[i + 1];
  if (i + 2 < n) v.z = in[i + 2];
  return v;
}

__device__ inline void scan_store(int* out, std::size_t i, std::size_t n, int4 v) {
  if (i + 4 <= n) {
    __stcs(reinterpret_cast<int4*>(out + i), v);
    return;
  }
  if (i < n) out[i] = v.x;
  if (i + 1 < n) out[i + 1] = v.y;
  if (i + 2 < n) out[i + 2] = v.z;
}

// Tiles are taken by a ticket, in the order in which blocks really start: a tile never waits for
// one that has not begun. A warp scans kLookbackVectors rows of 32 vectors, each coalesced, and
// marks them as not needed again, so that the states stay in the L2 cache. `in` and `out` must lie
// on 16-byte boundaries; states and *next_tile as scan_lookback_clear leaves them.
template <bool Inclusive>
__global__ void __launch_bounds__(kLookbackBlock)
    scan_lookback(const int* in, int* out, volatile LookbackState* states, unsigned* next_tile,
                  std::size_t n) {
  constexpr unsigned kWarps = kLookbackBlock / 32;
  __shared__ unsigned taken;
  __shared__ int warp_totals[kWarps];
  __shared__ int before_tile;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x == 0) taken = atomicAdd(next_tile, 1U);
  __syncthreads();
  const unsigned tile = taken;
  const std::size_t first =
      tile * kLookbackTile + std::size_t{4} * (warp * kLookbackVectors * 32 + lane);

  int4 held[kLookbackVectors];
#pragma unroll
  for (unsigned k = 0; k < kLookbackVectors; ++k) held[k] = scan_load(in, first + k * 128, n);

  int before[kLookbackVectors];  // the warp's sum up to each vector
  int warp_total = 0;
#pragma unroll
  for (unsigned k = 0; k < kLookbackVectors; ++k) {
    const int own = (held[k].x + held[k].y) + (held[k].z + held[k].w);
    const int up_to_here = scan_warp(own);
    before[k] = warp_total + up_to_here - own;
    warp_total += __shfl_sync(0xffffffffU, up_to_here, 31);
  }
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();

  int before_warp = 0;
  int total = 0;
#pragma unroll
  for (unsigned w = 0; w < kWarps; ++w) {
    if (w == warp) before_warp = total;
    total += warp_totals[w];
  }
  if (warp == 0) {
    if (lane == 0) {
      states[tile] = lookback_state(tile == 0 ? kLookbackSumOfAll : kLookbackSumOfTile, total);
    }
    const int sum = tile == 0 ? 0 : scan_look_back(states, tile);
    if (lane == 0) {
      if (tile > 0) states[tile] = lookback_state(kLookbackSumOfAll, sum + total);
      before_tile = sum;
    }
  }
  __syncthreads();

  const int offset = before_tile + before_warp;
#pragma unroll
  for (unsigned k = 0; k < kLookbackVectors; ++k) {
    const int4 v = held[k];
    const int x = offset + before[k] + (Inclusive ? v.x : 0);
    const int y = x + (Inclusive ? v.y : v.x);
    const int z = y + (Inclusive ? v.z : v.y);
    const int w = z + (Inclusive ? v.w : v.z);
    scan_store(out, first + k * 128, n, make_int4(x, y, z, w));
  }
}
