# SPDX-License-Identifier: Apache-2.0
# cmake -D FROM=project -D INTO=folder -P plant.cmake
#
# Copies kernels/ and benchmarks/, without the rows of libraries, and adds to ten kernels what costs a
# little, SLOWER_UNITS of it (slower.cuh). Results stay right, and lines keep their numbers.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../system/gate/plant.cmake)

file(COPY ${FROM}/kernels ${FROM}/benchmarks DESTINATION ${INTO} PATTERN CMakeLists.txt EXCLUDE)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/slower.cuh DESTINATION ${INTO}/kernels)

foreach(family IN ITEMS
    adjacent_sum dot histogram matmul reduction reverse scan stencil struct_access transpose)
  file(READ ${INTO}/benchmarks/${family}.cu source)
  string(REGEX REPLACE "#ifdef __CUDACC__(\n(#include|// cuBLAS|class|VARIANT|  Cublas))"
         "#ifdef LADDER_WITH_LIBRARIES\\1" source "${source}")
  file(WRITE ${INTO}/benchmarks/${family}.cu "${source}")
  plant(kernels/${family}.cuh "#include <cuda_runtime.h>" "#include \"kernels/slower.cuh\"")
endforeach()

# Barriers more, in a kernel whose blocks wait for each other's banks.
plant(kernels/transpose.cuh
  "if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][j]"
  "if (j == int(threadIdx.y)) slower_by_barriers<kSlower>(); if (row < columns && column < rows) out[row * rows + column] = tile[threadIdx.x][j]")

# A dependent instruction more.
plant(kernels/struct_access.cuh
  "if (first + threadIdx.x < n) out[first + threadIdx.x] = sum"
  "if (first + threadIdx.x < n) out[first + threadIdx.x] = slower_by_chain<kSlower>(sum)")

# A few cycles more in an eighth of the blocks.
plant(kernels/reduction.cuh
  "__global__ void reduce_vectorized(const T* in, T* partial, std::size_t n) {
  const T sum = reduction_block_sum(reduction_grid_stride_sum(in, n))"
  "__global__ void reduce_vectorized(const T* in, T* partial, std::size_t n) {
  const T sum = slower_in_some_blocks<16 * kSlower>(reduction_block_sum(reduction_grid_stride_sum(in, n)))")

# A part of the counts is cleared twice.
plant(kernels/histogram.cuh
  "histogram_clear_copies(counts);
  const unsigned lane = threadIdx.x % 32;
  const uint4*"
  "histogram_clear_copies(counts); if constexpr (kSlower > 0) { for (int i = int(threadIdx.x); i < int(kHistogramBlock) * kSlower; i += int(kHistogramBlock)) counts[i / int(kHistogramCopies) % int(kHistogramBins)][i % int(kHistogramCopies)] = 0; __syncthreads(); }
  const unsigned lane = threadIdx.x % 32;
  const uint4*")

# More traffic: a few of 256 blocks read another tile, too.
plant(kernels/reverse.cuh
  "if (i + 4 <= n) held[k] = *reinterpret_cast<const int4*>(in + i)"
  "if (i + 4 <= n) held[k] = *reinterpret_cast<const int4*>(in + i); if constexpr (kSlower > 0) { if (int(blockIdx.x % 256) < kSlower && n % 8 == 0 && i + 4 <= n) held[k].x ^= reinterpret_cast<const int4*>(in + (i < n / 2 ? i + n / 2 : i - n / 2))->x & int(blockIdx.y); }")

# Dependent instructions before the first load.
plant(kernels/stencil.cuh
  "const std::size_t tile = blockIdx.x * kStencilTile"
  "std::size_t tile = blockIdx.x * kStencilTile; if constexpr (kSlower > 0) tile = slower_by_chain<4 * kSlower>(tile)")

# One barrier more a step.
plant(kernels/dot.cuh
  "__syncthreads();
    if (threadIdx.x < step) cache"
  "__syncthreads(); slower_by_barriers<kSlower>();
    if (threadIdx.x < step) cache")

# Dependent instructions before the store.
plant(kernels/adjacent_sum.cuh
  "if (i < n) out[i] = words[word] + words[word - 1]"
  "if (i < n) out[i] = slower_by_chain<4 * kSlower>(words[word] + words[word - 1])")
plant(kernels/scan.cuh
  "if (warp > 0) sum += warp_totals[warp - 1]"
  "if (warp > 0) sum += warp_totals[warp - 1]; sum = slower_by_chain<kSlower>(sum)")

# One barrier more in some rounds: in each from 8 units up.
plant(kernels/matmul.cuh
  "if (tiles > 1) copy.begin(buffers[next])"
  "if constexpr (kSlower > 0) { for (int k = 0; k < kSlower; k += 8) { if (tiles % 8 < kSlower - k) __syncthreads(); } } if (tiles > 1) copy.begin(buffers[next])")
