// SPDX-License-Identifier: Apache-2.0
// The device behind the CUDA runtime API: memory, launches, errors.
#pragma once

#include <cstddef>
#include <functional>

#include "profiling/emulator/device_memory.hpp"
#include "profiling/emulator/emulator.hpp"
#include "profiling/emulator/grid_runner.hpp"
#include "profiling/emulator/include/warpgauge_emulator/runtime_api.h"
#include "profiling/emulator/program.hpp"

namespace warpgauge::emulator {

class EmulatedDevice {
 public:
  // The one device. The CUDA runtime API has no handle by which to name another, so this is the
  // only object of the emulator that the whole process shares.
  static EmulatedDevice& instance();

  [[nodiscard]] DeviceMemory& memory() { return memory_; }

  // Runs the kernel to its end. Errors within the kernel are told by the next synchronisation, as
  // on a GPU; outside of observe() they are also written to standard error.
  cudaError_t launch(const cudaLaunchConfig_t& config, const warpgauge_emulator::KernelCall& call);

  // The error of kernels that have run since the last synchronisation.
  cudaError_t synchronize();

  // Keeps `error` for last_error() and returns it.
  cudaError_t keep(cudaError_t error);
  [[nodiscard]] cudaError_t last_error() const { return last_error_; }
  void forget_last_error() { last_error_ = cudaSuccess; }

  [[nodiscard]] Observation observe(const std::function<void()>& launch, const Options& options);

 private:
  struct Collection;

  EmulatedDevice() : grid_runner_(program_, memory_) {}
  void collect(LaunchResult result);

  Program program_;
  DeviceMemory memory_;
  GridRunner grid_runner_;
  cudaError_t last_error_ = cudaSuccess;
  cudaError_t kernel_error_ = cudaSuccess;  // until the next synchronisation
  Collection* collection_ = nullptr;        // of the observation under way
};

}  // namespace warpgauge::emulator
