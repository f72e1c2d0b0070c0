// SPDX-License-Identifier: Apache-2.0
// Random input, made where it is needed: on the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "profiling/device_buffer.hpp"
#include "profiling/launch.hpp"
#include "profiling/random_input.hpp"

namespace warpgauge {

namespace detail {

template <class T>
__global__ void fill_random(T* values, std::size_t n, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    values[i] = random_element<T>(i, seed);
  }
}

}  // namespace detail

// random_element<T>(0) to random_element<T>(count - 1).
template <class T>
[[nodiscard]] DeviceBuffer<T> random_buffer(std::size_t count, std::uint64_t seed = kInputSeed) {
  constexpr unsigned kBlock = 256;
  constexpr std::size_t kMostBlocks = 4096;
  DeviceBuffer<T> buffer(count);
  const std::size_t blocks = std::min((count + kBlock - 1) / kBlock, kMostBlocks);
  launch(detail::fill_random<T>, static_cast<unsigned>(blocks), kBlock, buffer.data(), count, seed);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after filling the input");
  return buffer;
}

}  // namespace warpgauge
