// SPDX-License-Identifier: Apache-2.0
// Random input, generated on the device.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/harness/random_input.hpp"

namespace warpgauge {

namespace detail {

template <class T>
__global__ void fill_random(T* values, std::size_t n, std::uint64_t seed) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    values[i] = random_element<T>(i, seed);
  }
}

template <class T>
__global__ void fill_whole_numbers(T* values, std::size_t n, std::uint64_t seed,
                                   std::int64_t magnitude) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    values[i] = random_whole_number<T>(i, magnitude, seed);
  }
}

template <class T, class Fill, class... Rest>
[[nodiscard]] DeviceBuffer<T> filled_buffer(Fill fill, std::size_t count, Rest... rest) {
  constexpr unsigned kBlock = 256;
  constexpr std::size_t kMostBlocks = 4096;
  DeviceBuffer<T> buffer(count);
  const std::size_t blocks = std::min((count + kBlock - 1) / kBlock, kMostBlocks);
  launch(fill, static_cast<unsigned>(blocks), kBlock, buffer.data(), count, rest...);
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after filling the input");
  return buffer;
}

}  // namespace detail

// random_element<T>(0) to random_element<T>(count - 1).
template <class T>
[[nodiscard]] DeviceBuffer<T> random_buffer(std::size_t count, std::uint64_t seed = kInputSeed) {
  return detail::filled_buffer<T>(detail::fill_random<T>, count, seed);
}

// random_whole_number<T>(0, magnitude) to random_whole_number<T>(count - 1, magnitude).
template <class T>
[[nodiscard]] DeviceBuffer<T> whole_number_buffer(std::size_t count, std::int64_t magnitude,
                                                  std::uint64_t seed = kInputSeed) {
  return detail::filled_buffer<T>(detail::fill_whole_numbers<T>, count, seed, magnitude);
}

}  // namespace warpgauge
