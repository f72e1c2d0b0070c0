// SPDX-License-Identifier: Apache-2.0
// Empties the L2 cache of a benchmark's data.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <random>
#include <string_view>

#include "profiling/device_buffer.hpp"

namespace warpgauge::cupti {

// Part of the flush kernel's name in every form, mangled or not.
inline constexpr std::string_view kFlushKernelName = "warpgauge_flush_l2";

// The same of kernels that do nothing: what runs between them is not to be measured.
inline constexpr std::string_view kPauseKernelName = "warpgauge_pause";
inline constexpr std::string_view kResumeKernelName = "warpgauge_resume";

// Reads four times the L2 cache, each time another part of a buffer of sixteen times: how long a
// kernel takes depends on what was read before it, by up to 2 % (see docs/measurement.md).
// Reading evicts the benchmark's data, writes its dirty
// lines back and leaves none of its own, whose writing back would fall into the kernel measured.
// Lines that a benchmark had marked to persist are made ordinary ones first.
class CacheFlush {
 public:
  // Throws DeviceError when the buffer cannot be had.
  CacheFlush();

  // Enqueues one kernel on the default stream. Throws DeviceError when it cannot be launched.
  void operator()();

  // Mark the begin and the end of what is not to be measured.
  static void pause();
  static void resume();

 private:
  DeviceBuffer<uint4> buffer_;
  DeviceBuffer<unsigned> sink_{1};
  std::minstd_rand random_{std::random_device{}()};
  unsigned blocks_ = 0;
  bool lines_persist_;  // on this device, for those who ask for it
};

}  // namespace warpgauge::cupti
