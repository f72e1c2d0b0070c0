// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/memory_digest.hpp"

#include <algorithm>
#include <cstdint>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/harness/random_input.hpp"

namespace warpgauge::cupti {
namespace {

constexpr unsigned kBlockThreads = 256;
constexpr std::size_t kMostBlocks = 2048;

}  // namespace

// Adds a hash of each word and its place, so that the order in which threads add does not matter.
// The last bytes count as words of their own. `data`: as cudaMalloc aligns it. Not
// internal: nvcc would name it by the path of this file, so that two builds differed.
__global__ void warpgauge_digest(const unsigned char* data, std::size_t bytes,
                                 unsigned long long* sum) {
  const std::size_t words = bytes / sizeof(std::uint64_t);
  const std::size_t units = words + bytes % sizeof(std::uint64_t);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  unsigned long long own = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < units; i += stride) {
    const std::uint64_t value = i < words ? reinterpret_cast<const std::uint64_t*>(data)[i]
                                          : data[words * sizeof(std::uint64_t) + (i - words)];
    own += split_mix(split_mix(value) ^ i);
  }
  for (unsigned lane = 16; lane > 0; lane /= 2) own += __shfl_down_sync(0xffffffffU, own, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, own);
}

std::uint64_t memory_digest(std::span<const DeviceBlock> blocks) {
  DeviceBuffer<unsigned long long> sums(std::vector<unsigned long long>(blocks.size(), 0));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t needed =
        parts_of(parts_of(blocks[i].bytes, sizeof(std::uint64_t)), kBlockThreads);
    launch(warpgauge_digest, static_cast<unsigned>(std::clamp<std::size_t>(needed, 1, kMostBlocks)),
           kBlockThreads, static_cast<const unsigned char*>(blocks[i].data), blocks[i].bytes,
           sums.data() + i);
  }
  std::uint64_t digest = 0;
  const auto of_blocks = sums.to_host();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    digest = split_mix(digest ^ of_blocks[i]) ^ blocks[i].bytes;
  }
  return split_mix(digest);
}

}  // namespace warpgauge::cupti
