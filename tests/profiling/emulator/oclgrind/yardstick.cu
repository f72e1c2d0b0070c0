// SPDX-License-Identifier: Apache-2.0
// yardstick KERNEL SIDE: launches one of the project's kernels, as compare.sh lets Oclgrind launch
// its like. Sizes: SIDE² elements; for matmul_tiled, three matrices of them.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/matmul.cuh"
#include "kernels/reduction.cuh"
#include "kernels/transpose.cuh"

namespace {

float* filled_with_ones(std::size_t elements) {
  const std::vector<float> ones(elements, 1);
  float* memory = nullptr;
  cudaMalloc(&memory, elements * sizeof(float));
  cudaMemcpy(memory, ones.data(), elements * sizeof(float), cudaMemcpyHostToDevice);
  return memory;
}

float* unwritten(std::size_t elements) {
  float* memory = nullptr;
  cudaMalloc(&memory, elements * sizeof(float));
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: yardstick KERNEL SIDE\n", stderr);
    return 64;
  }
  const std::string kernel = argv[1];
  const std::size_t side = std::strtoull(argv[2], nullptr, 10);
  const std::size_t elements = side * side;
  const auto tiles =
      static_cast<unsigned>(transpose_tiles_across(side) * transpose_tiles_across(side));
  const dim3 rows(kTransposeTile, kTransposeRows);
  const float* in = filled_with_ones(elements);
  if (kernel == "transpose_shared") {
    transpose_tiled<0><<<tiles, rows>>>(in, unwritten(elements), side, side);
  } else if (kernel == "transpose_padded") {
    transpose_tiled<1><<<tiles, rows>>>(in, unwritten(elements), side, side);
  } else if (kernel == "reduce_sequential") {
    const std::size_t blocks = (elements + kReductionBlock - 1) / kReductionBlock;
    reduce_sequential<<<blocks, kReductionBlock>>>(in, unwritten(blocks), elements);
  } else if (kernel == "matmul_tiled") {
    const dim3 square(32, 32);
    matmul_tiled<32><<<tiles, square>>>(in, in, unwritten(elements), side, side, side);
  } else {
    std::fprintf(stderr, "yardstick: no kernel %s\n", kernel.c_str());
    return 64;
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "yardstick: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
