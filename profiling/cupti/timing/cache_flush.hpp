// SPDX-License-Identifier: Apache-2.0
// The harness's own kernels around samples: what empties the L2 cache of a benchmark's data, or
// stands in for that.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <random>

#include "profiling/harness/device_buffer.hpp"

namespace warpgauge::cupti {

// Reads four times the L2 cache, each time another part of a buffer of sixteen times: how long a
// kernel takes depends on what was read before it, by up to 2 % (see docs/explain/measurement.md).
// Reading evicts the benchmark's data, writes its dirty
// lines back and leaves none of its own, whose writing back would fall into the kernel measured.
// Lines that a benchmark had marked to persist are made ordinary ones first.
class CacheFlush {
 public:
  // Throws DeviceError when the buffer cannot be had.
  CacheFlush();

  // Enqueues one kernel on the default stream. Throws DeviceError when it cannot be launched.
  void operator()();

 private:
  DeviceBuffer<uint4> buffer_;
  DeviceBuffer<unsigned> sink_{1};
  std::minstd_rand random_{std::random_device{}()};
  unsigned blocks_ = 0;
  bool lines_persist_;  // on this device, for those who ask for it
};

// In place of a flush, where caches are to be as the last launch left them: touches no memory, and
// like a flush keeps the device busy until the host has enqueued what is measured, some 20 µs.
// Without that, gaps between a benchmark's kernels would be the host's. Throws as a flush does.
void hold_back();

// Mark the begin and the end of what is not to be measured.
void pause_measuring();
void resume_measuring();

}  // namespace warpgauge::cupti
