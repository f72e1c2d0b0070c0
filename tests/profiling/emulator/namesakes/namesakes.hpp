// SPDX-License-Identifier: Apache-2.0
// The files beside this one have kernels of one name in twos. What a launch of each shows:
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator::namesakes {

struct Shown {
  std::string errors;
  unsigned cluster_blocks;
  std::size_t shared_bytes;

  friend bool operator==(const Shown&, const Shown&) = default;
};

inline void PrintTo(const Shown& shown, std::ostream* out) {
  *out << "{" << shown.errors << ", clusters of " << shown.cluster_blocks << ", "
       << shown.shared_bytes << " bytes}";
}

Shown show_plain();
Shown show_clustered();
Shown show_hidden();
Shown show_c_static();
Shown show_c_global();
Shown show_c_hidden();
Shown show_c_beside_hidden();

// kernel: writes how many blocks a cluster has.
inline Shown show(void (*kernel)(unsigned*)) {
  const DeviceBuffer<unsigned> blocks(1);
  const Observation observation = run(kernel, dim3(4), dim3(32), blocks.data());
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  return {join(observation.errors), blocks.to_host()[0], attributes.sharedSizeBytes};
}

// The body of each. words: 32 or more, in shared memory.
__device__ inline void note_blocks_by(unsigned* words, unsigned* out) {
  words[threadIdx.x] = cooperative_groups::this_cluster().num_blocks();
  if (blockIdx.x == 0 && threadIdx.x == 0) *out = words[0];
}

}  // namespace warpgauge::emulator::namesakes
