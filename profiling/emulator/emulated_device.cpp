// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/emulated_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "profiling/emulator/source_lines.hpp"
#include "profiling/emulator/thread_memory.hpp"

namespace warpgauge::emulator {
namespace {

// More gain nothing: each keeps stacks for a whole block.
constexpr unsigned kMostThreads = 16;

unsigned thread_count(const Options& options) {
  if (options.threads > 0) return std::min(options.threads, kMostThreads);
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
}

// Limits of sm_90 (CUDA C++ Programming Guide, "Technical Specifications").
cudaError_t check(const cudaLaunchConfig_t& config) {
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffff || grid.y > 65535 ||
      grid.z > 65535) {
    return cudaErrorInvalidConfiguration;
  }
  if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || std::uint64_t{block.x} * block.y * block.z > BlockRunner::kMaxThreads) {
    return cudaErrorInvalidConfiguration;
  }
  if (config.dynamicSmemBytes > kMaxSharedBytes || config.numAttrs > 0) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t error_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shared_out_of_bounds:
    case ErrorKind::global_out_of_bounds:
    case ErrorKind::fault:
      return cudaErrorIllegalAddress;
    case ErrorKind::no_progress:
      return cudaErrorLaunchTimeout;
    default:
      return cudaErrorLaunchFailure;
  }
}

}  // namespace

struct EmulatedDevice::Collection {
  Options options;
  Traffic traffic;
  std::uint64_t barriers = 0;
  std::vector<std::string> errors;
};

EmulatedDevice& EmulatedDevice::instance() {
  static EmulatedDevice device;
  return device;
}

cudaError_t EmulatedDevice::launch(const cudaLaunchConfig_t& config,
                                   const warpgauge_emulator::KernelCall& call) {
  if (const cudaError_t error = check(config); error != cudaSuccess) return keep(error);
  const Options options = collection_ != nullptr ? collection_->options : Options();
  const Launch launch{call, config.gridDim, config.blockDim, config.dynamicSmemBytes,
                      options.spin_budget};
  collect(grid_runner_.run(launch, thread_count(options)));
  return cudaSuccess;
}

void EmulatedDevice::collect(LaunchResult result) {
  if (!result.errors.empty() && kernel_error_ == cudaSuccess) {
    kernel_error_ = error_code(result.errors.front().kind);
  }
  for (KernelError& error : result.errors) {
    if (collection_ != nullptr) {
      collection_->errors.push_back(std::move(error.text));
    } else {
      fmt::print(stderr, "{}\n", error.text);
    }
  }
  if (collection_ != nullptr) {
    collection_->traffic.add(result.traffic);
    collection_->barriers += result.barriers;
  }
}

cudaError_t EmulatedDevice::synchronize() {
  return keep(std::exchange(kernel_error_, cudaSuccess));
}

cudaError_t EmulatedDevice::keep(cudaError_t error) {
  if (error != cudaSuccess) last_error_ = error;
  return error;
}

Observation EmulatedDevice::observe(const std::function<void()>& launch, const Options& options) {
  Collection collection;
  collection.options = options;
  collection_ = &collection;
  const auto end = [this] {
    collection_ = nullptr;
    kernel_error_ = cudaSuccess;
    last_error_ = cudaSuccess;
  };
  try {
    launch();
  } catch (...) {
    end();
    throw;
  }
  end();
  return {source_lines(collection.traffic, program_), collection.barriers,
          std::move(collection.errors)};
}

Observation observe(const std::function<void()>& launch, const Options& options) {
  return EmulatedDevice::instance().observe(launch, options);
}

}  // namespace warpgauge::emulator
