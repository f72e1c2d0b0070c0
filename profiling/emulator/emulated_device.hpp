// SPDX-License-Identifier: Apache-2.0
// The device behind the CUDA runtime API: memory, launches, errors.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "profiling/emulator/api/host_objects.hpp"
#include "profiling/emulator/emulator.hpp"
#include "profiling/emulator/execution/grid_runner.hpp"
#include "profiling/emulator/execution/program.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/runtime_api.h"
#include "profiling/emulator/memory/device_memory.hpp"
#include "profiling/emulator/report/findings.hpp"
#include "profiling/emulator/report/severity.hpp"

namespace warpgauge::emulator {

class EmulatedDevice {
 public:
  // The only device. The CUDA runtime API has no device handles, so the whole process shares this
  // object; the emulator has no other global one.
  static EmulatedDevice& instance();

  [[nodiscard]] DeviceMemory& memory() { return memory_; }
  [[nodiscard]] HostObjects& host() { return host_; }

  // Runs the kernel to its end. The next synchronisation reports the kernel's errors, as on a GPU;
  // outside of observe() they are also written to standard error.
  cudaError_t launch(const cudaLaunchConfig_t& config, const warpgauge_emulator::KernelCall& call);

  // Allows launches of a kernel with that much dynamic shared memory.
  cudaError_t allow_dynamic_shared(const void* kernel, std::size_t bytes);

  // Allows launches of a kernel with clusters that not all devices have.
  void allow_large_clusters(const void* kernel, bool allow) {
    if (allow) {
      large_clusters_.insert(kernel);
    } else {
      large_clusters_.erase(kernel);
    }
  }

  // Static shared memory of a kernel, and the most dynamic that a launch may have.
  [[nodiscard]] std::size_t static_shared(const void* kernel) const {
    return program_.shared_variables().static_bytes(kernel);
  }
  [[nodiscard]] std::size_t most_dynamic_shared(const void* kernel) const;

  // How many blocks of such a launch a multiprocessor holds; 0: such a launch is impossible.
  [[nodiscard]] unsigned blocks_per_multiprocessor(const void* kernel, unsigned block_threads,
                                                   std::size_t dynamic_shared_bytes) const;

  // The same, when the program asks.
  [[nodiscard]] unsigned tell_blocks_per_multiprocessor(const void* kernel, unsigned block_threads,
                                                        std::size_t dynamic_shared_bytes);

  // The error of the kernels that ran since the last synchronisation.
  cudaError_t synchronize();

  // Keeps `error` for last_error() and returns it.
  cudaError_t keep(cudaError_t error);
  [[nodiscard]] cudaError_t last_error() const { return last_error_; }
  void forget_last_error() { last_error_ = cudaSuccess; }

  [[nodiscard]] Observation observe(const std::function<void()>& launch, const Options& options);

  // See emulator.hpp.
  void keep_observations(const Options& options);
  [[nodiscard]] std::vector<KernelObservation> kept_observations();
  void end_launches();

 private:
  struct Collection;
  // What all launches of a kernel did outside of observe().
  struct Kept {
    warpgauge_emulator::KernelCall call;
    results::KernelLaunch first;  // without its name
    bool first_completed = false;
    Traffic first_traffic;
    std::uint64_t launches = 0;
    std::uint64_t unfinished = 0;
    Traffic traffic;
    std::uint64_t barriers = 0;
    Findings findings;
  };

  EmulatedDevice();
  [[nodiscard]] bool fills_device(const Launch& launch) const;
  void note(const Launch& launch);  // for the observation under way
  [[nodiscard]] cudaError_t check(const cudaLaunchConfig_t& config, const void* kernel) const;
  [[nodiscard]] static bool is_cooperative(const cudaLaunchConfig_t& config);
  // What the launch asks for or the kernel says; {1, 1, 1}: neither.
  [[nodiscard]] uint3 cluster_of(const cudaLaunchConfig_t& config, const void* kernel) const;
  [[nodiscard]] cudaError_t check_cluster(const cudaLaunchConfig_t& config, uint3 cluster,
                                          const void* kernel) const;
  void collect(const Launch& launch, LaunchResult result);
  [[nodiscard]] Kept& kept(const warpgauge_emulator::KernelCall& call);
  void keep(const Launch& launch, const LaunchResult& result);

  Program program_;
  DeviceMemory memory_;
  HostObjects host_;
  GridRunner grid_runner_;
  std::map<const void*, std::size_t> allowed_dynamic_shared_;  // for kernels that requested more
  std::set<const void*> large_clusters_;                       // of the kernels that requested them
  cudaError_t last_error_ = cudaSuccess;
  cudaError_t kernel_error_ = cudaSuccess;  // until the next synchronisation
  Collection* collection_ = nullptr;        // of the current observation
  std::timed_mutex running_;                // held by a launch
  std::mutex keeping_;                      // of kept_
  std::vector<Kept> kept_;
  Options kept_options_;  // of launches outside of observe()
  Severities kept_severities_;
};

// The one that answers the CUDA runtime API.
inline EmulatedDevice& device() { return EmulatedDevice::instance(); }

}  // namespace warpgauge::emulator
