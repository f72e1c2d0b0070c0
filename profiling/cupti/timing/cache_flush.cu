// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/cache_flush.hpp"

namespace warpgauge::cupti {
namespace {

constexpr std::size_t kReadsPerCache = 4;
constexpr std::size_t kBuffersPerCache = 16;
constexpr unsigned kBlockThreads = 512;
constexpr unsigned kBlocksPerMultiprocessor = 4;
constexpr long long kHeldBackCycles = 40'000;

}  // namespace

// The kernels are not internal: nvcc would name them by the path of this file, so that two builds
// differed.

// The conditional store of the sum keeps the compiler from removing the loads. All bits of the
// buffer are ones, so the store never happens.
__global__ void warpgauge_flush_l2(const uint4* buffer, std::size_t count, unsigned* sink) {
  unsigned bits = 0xffffffffU;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 value = buffer[i];
    bits &= value.x & value.y & value.z & value.w;
  }
  if (bits != 0xffffffffU) *sink = bits;
}

__global__ void warpgauge_hold_back(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

__global__ void warpgauge_pause() {}
__global__ void warpgauge_resume() {}

namespace {

std::size_t cache_elements() {
  return static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize)) / sizeof(uint4);
}

}  // namespace

CacheFlush::CacheFlush()
    : buffer_(kBuffersPerCache * cache_elements()),
      blocks_(static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount)) *
              kBlocksPerMultiprocessor),
      lines_persist_(device_attribute(cudaDevAttrMaxPersistingL2CacheSize) > 0) {}

void CacheFlush::operator()() {
  if (lines_persist_) {
    require_success(cudaCtxResetPersistingL2Cache(), "cudaCtxResetPersistingL2Cache");
  }
  const std::size_t read = buffer_.size() / kBuffersPerCache * kReadsPerCache;
  const std::size_t first =
      std::uniform_int_distribution<std::size_t>(0, buffer_.size() - read)(random_);
  launch(warpgauge_flush_l2, blocks_, kBlockThreads, buffer_.data() + first, read, sink_.data());
}

void hold_back() { launch(warpgauge_hold_back, 1, 1, kHeldBackCycles); }

void pause_measuring() { launch(warpgauge_pause, 1, 1); }
void resume_measuring() { launch(warpgauge_resume, 1, 1); }

}  // namespace warpgauge::cupti
