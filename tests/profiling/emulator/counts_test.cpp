// SPDX-License-Identifier: Apache-2.0
// Counts of kernels, held against hardware where it was asked and against hand-made counts.
#include <cstddef>
#include <vector>

#include "kernels/reduction.cuh"
#include "kernels/struct_access.cuh"
#include "kernels/transpose.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1021);
  return values;
}

template <int Padding>
Observation transpose(std::size_t n) {
  const std::vector<float> input = counting(n * n);
  const DeviceBuffer<float> in(input);
  const DeviceBuffer<float> out(n * n);
  const auto tiles = static_cast<unsigned>((n / 32) * (n / 32));
  Observation observation =
      run(transpose_tiled<Padding>, dim3(tiles), dim3(32, 8), in.data(), out.data(), n, n);
  const std::vector<float> result = out.to_host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n * n; ++i) wrong += result[i] != input[i % n * n + i / n];
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(join(observation.errors), "");
  return observation;
}

// Measured on an NVIDIA H200 (driver 580.159.04, CUDA 13.0), smsp__sass_inst_executed_op_shared_*
// and smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_*, 4096 × 4096 floats.
TEST(Transpose, CountsWhatAnH200Counts) {
  const Observation unpadded = transpose<0>(4096);
  EXPECT_EQ(sum(unpadded, Access::shared_load), (Sums{524'288, 16'777'216, 524'288}));
  EXPECT_EQ(sum(unpadded, Access::shared_store), (Sums{524'288, 524'288, 524'288}));
  const Observation padded = transpose<1>(4096);
  EXPECT_EQ(sum(padded, Access::shared_load), (Sums{524'288, 524'288, 524'288}));
  EXPECT_EQ(sum(padded, Access::shared_store), (Sums{524'288, 524'288, 524'288}));
}

}  // namespace
}  // namespace warpgauge::emulator
