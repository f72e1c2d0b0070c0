// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/emulated_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "profiling/emulator/memory/thread_memory.hpp"
#include "profiling/emulator/models/device_limits.hpp"
#include "profiling/emulator/report/source_lines.hpp"

namespace warpgauge::emulator {
namespace {

// More gain nothing: each keeps stacks for a whole block.
constexpr unsigned kMostThreads = 16;

unsigned thread_count(const Options& options) {
  if (options.threads > 0) return std::min(options.threads, kMostThreads);
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads);
}

bool is_possible(dim3 grid, dim3 block) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
    return false;
  }
  return grid.x <= kMaxGridWidth && grid.y <= kMaxGridHeight && grid.z <= kMaxGridHeight &&
         block.x <= kMaxThreadsPerBlock && block.y <= kMaxThreadsPerBlock &&
         block.z <= kMaxBlockDepth &&
         std::uint64_t{block.x} * block.y * block.z <= kMaxThreadsPerBlock;
}

std::span<const cudaLaunchAttribute> attributes(const cudaLaunchConfig_t& config) {
  return {config.attrs, config.numAttrs};
}

bool is_known(const cudaLaunchAttribute& attribute) {
  return attribute.id == cudaLaunchAttributeIgnore ||
         attribute.id == cudaLaunchAttributeCooperative;
}

bool is_cooperative(const cudaLaunchConfig_t& config) {
  const auto asks_for_it = [](const cudaLaunchAttribute& attribute) {
    return attribute.id == cudaLaunchAttributeCooperative && attribute.val.cooperative != 0;
  };
  return std::ranges::any_of(attributes(config), asks_for_it);
}

cudaError_t error_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shared_out_of_bounds:
    case ErrorKind::global_out_of_bounds:
    case ErrorKind::fault:
      return cudaErrorIllegalAddress;
    case ErrorKind::misaligned:
      return cudaErrorMisalignedAddress;
    case ErrorKind::assertion:
      return cudaErrorAssert;
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
  struct Launched {
    const void* kernel;
    std::vector<results::KernelLaunch> launches;  // without its name
  };
  std::vector<Launched> kernels;  // each once, in order of their first launch
  bool occupancy_asked = false;
  bool grid_fills_device = false;
  std::uint64_t barriers = 0;
  std::vector<std::string> errors;
  std::vector<std::string> remarks;
  std::set<std::string> remarks_seen;
};

EmulatedDevice& EmulatedDevice::instance() {
  static EmulatedDevice device;
  return device;
}

std::size_t EmulatedDevice::most_dynamic_shared(const void* kernel) const {
  const auto allowed = allowed_dynamic_shared_.find(kernel);
  if (allowed != allowed_dynamic_shared_.end()) return allowed->second;
  const std::size_t own = program_.shared_variables().static_bytes(kernel);
  return own < kDefaultSharedBytes ? kDefaultSharedBytes - own : 0;
}

cudaError_t EmulatedDevice::allow_dynamic_shared(const void* kernel, std::size_t bytes) {
  const std::size_t own = program_.shared_variables().static_bytes(kernel);
  if (own + bytes > kMaxSharedBytes) return keep(cudaErrorInvalidValue);
  allowed_dynamic_shared_[kernel] = bytes;
  return cudaSuccess;
}

unsigned EmulatedDevice::blocks_per_multiprocessor(const void* kernel, unsigned block_threads,
                                                   std::size_t dynamic_shared_bytes) const {
  if (block_threads > kMaxThreadsPerBlock || dynamic_shared_bytes > most_dynamic_shared(kernel)) {
    return 0;
  }
  const unsigned threads = (block_threads + kWarpLanes - 1) / kWarpLanes * kWarpLanes;
  const std::size_t shared_bytes = program_.shared_variables().static_bytes(kernel) +
                                   dynamic_shared_bytes + kReservedSharedBytesPerBlock;
  return std::min({kBlocksPerMultiprocessor, kThreadsPerMultiprocessor / threads,
                   static_cast<unsigned>(kSharedBytesPerMultiprocessor / shared_bytes)});
}

unsigned EmulatedDevice::tell_blocks_per_multiprocessor(const void* kernel, unsigned block_threads,
                                                        std::size_t dynamic_shared_bytes) {
  if (collection_ != nullptr) collection_->occupancy_asked = true;
  return blocks_per_multiprocessor(kernel, block_threads, dynamic_shared_bytes);
}

bool EmulatedDevice::fills_device(const Launch& launch) const {
  const dim3 block = launch.block;
  return launch.blocks() ==
         std::uint64_t{kMultiprocessors} * blocks_per_multiprocessor(launch.call.kernel,
                                                                     block.x * block.y * block.z,
                                                                     launch.dynamic_shared_bytes);
}

cudaError_t EmulatedDevice::check(const cudaLaunchConfig_t& config, const void* kernel) const {
  const dim3 grid = config.gridDim;
  const dim3 block = config.blockDim;
  if (!is_possible(grid, block)) return cudaErrorInvalidConfiguration;
  if (config.dynamicSmemBytes > most_dynamic_shared(kernel) ||
      program_.shared_variables().static_bytes(kernel) > kDefaultSharedBytes ||
      !std::ranges::all_of(attributes(config), is_known)) {
    return cudaErrorInvalidValue;
  }
  if (!is_cooperative(config)) return cudaSuccess;
  const unsigned resident =
      kMultiprocessors *
      blocks_per_multiprocessor(kernel, block.x * block.y * block.z, config.dynamicSmemBytes);
  return std::uint64_t{grid.x} * grid.y * grid.z > resident ? cudaErrorCooperativeLaunchTooLarge
                                                            : cudaSuccess;
}

cudaError_t EmulatedDevice::launch(const cudaLaunchConfig_t& config,
                                   const warpgauge_emulator::KernelCall& call) {
  const cudaError_t error = check(config, call.kernel);
  if (error != cudaSuccess) return keep(error);
  const Options options = collection_ != nullptr ? collection_->options : Options();
  const Launch launch{call,
                      config.gridDim,
                      config.blockDim,
                      config.dynamicSmemBytes,
                      options.spin_budget,
                      is_cooperative(config)};
  if (collection_ != nullptr) note(launch);
  collect(call, grid_runner_.run(launch, thread_count(options)));
  memory_.settle();
  return cudaSuccess;
}

void EmulatedDevice::note(const Launch& launch) {
  auto& kernels = collection_->kernels;
  auto found = std::ranges::find(kernels, launch.call.kernel, &Collection::Launched::kernel);
  if (found == kernels.end()) found = kernels.insert(found, {launch.call.kernel, {}});
  results::add_launch({.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                       .block = {launch.block.x, launch.block.y, launch.block.z},
                       .dynamic_shared_bytes = launch.dynamic_shared_bytes},
                      found->launches);
  collection_->grid_fills_device |= collection_->occupancy_asked && fills_device(launch);
}

void EmulatedDevice::keep(const warpgauge_emulator::KernelCall& call, const LaunchResult& result) {
  const auto is_it = [&](const Kept& kept) {
    return kept.call.kernel == call.kernel &&
           std::string_view(kept.call.name == nullptr ? "" : kept.call.name) ==
               (call.name == nullptr ? "" : call.name);
  };
  auto found = std::ranges::find_if(kept_, is_it);
  if (found == kept_.end()) found = kept_.insert(found, {call, 0, {}, 0, {}, {}});
  ++found->launches;
  found->traffic.add(result.traffic);
  found->barriers += result.barriers;
  for (const KernelError& error : result.errors) found->errors.push_back(error.text);
  for (const KernelError& remark : result.remarks) {
    found->remarks.try_emplace(remark.key, remark.text);
  }
}

std::vector<KernelObservation> EmulatedDevice::kept_observations() {
  std::vector<KernelObservation> observations;
  for (const Kept& kept : kept_) {
    KernelObservation& each = observations.emplace_back();
    each.name = program_.kernel_name(kept.call);
    each.launches = kept.launches;
    each.did.lines = source_lines(kept.traffic, program_);
    each.did.barriers = kept.barriers;
    each.did.errors = kept.errors;
    for (const auto& [key, text] : kept.remarks) each.did.remarks.push_back(text);
  }
  return observations;
}

void EmulatedDevice::collect(const warpgauge_emulator::KernelCall& call, LaunchResult result) {
  if (collection_ == nullptr && keeps_) keep(call, result);
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
    // The same remark of every launch of a kernel is one.
    for (KernelError& remark : result.remarks) {
      if (!collection_->remarks_seen.insert(remark.key).second) continue;
      collection_->remarks.push_back(std::move(remark.text));
    }
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
  Observation observation;
  for (auto& [kernel, launches] : collection.kernels) {
    observation.kernels.push_back(program_.kernel_symbol(kernel));
    for (results::KernelLaunch& kind : launches) {
      kind.kernel = observation.kernels.back();
      results::add_launch(std::move(kind), observation.launches);
    }
  }
  observation.lines = source_lines(collection.traffic, program_);
  observation.grid_fills_device = collection.grid_fills_device;
  observation.barriers = collection.barriers;
  observation.errors = std::move(collection.errors);
  observation.remarks = std::move(collection.remarks);
  return observation;
}

Observation observe(const std::function<void()>& launch, const Options& options) {
  return EmulatedDevice::instance().observe(launch, options);
}

void keep_observations() { EmulatedDevice::instance().keep_observations(); }

std::vector<KernelObservation> kept_observations() {
  return EmulatedDevice::instance().kept_observations();
}

}  // namespace warpgauge::emulator
