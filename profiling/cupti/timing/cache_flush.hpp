// SPDX-License-Identifier: Apache-2.0
// The harness's own kernels around samples: one flushes the benchmark's data from the L2 cache, one
// replaces the flush where caches stay hot.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <random>

#include "profiling/harness/device_buffer.hpp"

namespace warpgauge::cupti {

// Reads four times the size of the L2 cache, from a different part of a buffer sixteen times that
// size on each call: a kernel's time depends on what was read before it, by up to 2 % (see
// docs/explain/measurement.md). Reading evicts the benchmark's data and writes its dirty lines
// back. It leaves no dirty lines of its own, which would be written back during the measured
// kernel. Persisting lines are reset first.
class CacheFlush {
 public:
  // Throws DeviceError when the buffer cannot be allocated.
  CacheFlush();

  // Enqueues one kernel on the default stream. Throws DeviceError when it cannot be launched.
  void operator()();

 private:
  DeviceBuffer<uint4> buffer_;
  DeviceBuffer<unsigned> sink_{1};
  std::minstd_rand random_{std::random_device{}()};
  unsigned blocks_ = 0;
  bool lines_persist_;  // whether this device supports persisting lines
};

// Replaces the flush when caches stay as the last launch left them. Touches no memory, but like the
// flush keeps the device busy for about 20 µs, until the host has enqueued the benchmark's kernels.
// Otherwise the gaps between them would measure the host. Throws like the flush.
void hold_back();

// Mark the begin and end of a part that is not measured.
void pause_measuring();
void resume_measuring();

}  // namespace warpgauge::cupti
