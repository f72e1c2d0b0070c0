// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/emulated_device.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "profiling/emulator/execution/interruption.hpp"
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

results::KernelLaunch shape(const Launch& launch) {
  return {.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
          .block = {launch.block.x, launch.block.y, launch.block.z},
          .dynamic_shared_bytes = launch.dynamic_shared_bytes,
          .cluster = {launch.cluster.x, launch.cluster.y, launch.cluster.z}};
}

cudaError_t error_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::shared_out_of_bounds:
    case ErrorKind::global_out_of_bounds:
    case ErrorKind::constant_write:
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
  explicit Collection(const Options& asked) : options(asked), severities(asked.severities) {}

  Options options;
  Severities severities;
  Traffic traffic;
  struct Launched {
    const void* kernel;
    std::vector<results::KernelLaunch> launches;  // without its name
  };
  std::vector<Launched> kernels;  // each once, in order of their first launch
  bool occupancy_asked = false;
  bool grid_fills_device = false;
  std::uint64_t barriers = 0;
  Findings findings;
};

EmulatedDevice::EmulatedDevice() : grid_runner_(program_, memory_) {
  for (const auto& [address, bytes] : program_.shared_variables().constants()) {
    memory_.add_constant(address, bytes);
  }
}

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

cudaError_t EmulatedDevice::launch(const cudaLaunchConfig_t& config,
                                   const warpgauge_emulator::KernelCall& call) {
  const cudaError_t error = check(config, call.kernel);
  if (error != cudaSuccess) return keep(error);
  const Options& options = collection_ != nullptr ? collection_->options : kept_options_;
  const Launch launch{call,
                      config.gridDim,
                      config.blockDim,
                      config.dynamicSmemBytes,
                      options.spin_budget,
                      is_cooperative(config),
                      options.continue_after_errors,
                      cluster_of(config, call.kernel)};
  if (collection_ != nullptr) note(launch);
  while (interrupted()) pause();  // until the process has ended
  const std::scoped_lock running(running_);
  collect(launch, grid_runner_.run(launch, thread_count(options)));
  memory_.settle();
  return cudaSuccess;
}

void EmulatedDevice::end_launches() {
  constexpr std::chrono::seconds kPatience{3};
  interrupt();
  // If the launch does not end, what it did is lost; what others did is not.
  if (running_.try_lock_for(kPatience)) running_.unlock();
}

void EmulatedDevice::note(const Launch& launch) {
  auto& kernels = collection_->kernels;
  auto found = std::ranges::find(kernels, launch.call.kernel, &Collection::Launched::kernel);
  if (found == kernels.end()) found = kernels.insert(found, {launch.call.kernel, {}});
  results::add_launch(shape(launch), found->launches);
  collection_->grid_fills_device |= collection_->occupancy_asked && fills_device(launch);
}

EmulatedDevice::Kept& EmulatedDevice::kept(const warpgauge_emulator::KernelCall& call) {
  const auto is_it = [&](const Kept& kept) {
    return kept.call.kernel == call.kernel &&
           std::string_view(kept.call.name == nullptr ? "" : kept.call.name) ==
               (call.name == nullptr ? "" : call.name);
  };
  const auto found = std::ranges::find_if(kept_, is_it);
  if (found != kept_.end()) return *found;
  Kept& added = kept_.emplace_back();
  added.call = call;
  return added;
}

void EmulatedDevice::keep(const Launch& launch, const LaunchResult& result) {
  const std::scoped_lock lock(keeping_);
  Kept& of_kernel = kept(launch.call);
  if (of_kernel.launches == 0) {
    of_kernel.first = shape(launch);
    of_kernel.first_completed = result.completed;
    of_kernel.first_traffic = result.traffic;
  }
  ++of_kernel.launches;
  if (!result.completed) ++of_kernel.unfinished;
  of_kernel.traffic.add(result.traffic);
  of_kernel.barriers += result.barriers;
  std::size_t added = of_kernel.findings.add(launch.call.kernel, result.errors, kept_severities_);
  const std::vector<Finding>& all = of_kernel.findings.all();
  for (; added > 0; --added) {
    const Finding& finding = all[all.size() - added];
    if (finding.is_error) fmt::print(stderr, "{}\n", finding.text);
  }
}

void EmulatedDevice::keep_observations(const Options& options) {
  const std::scoped_lock lock(keeping_);
  kept_.clear();
  kept_severities_ = Severities(options.severities);
  kept_options_ = options;
}

std::vector<KernelObservation> EmulatedDevice::kept_observations() {
  const std::scoped_lock lock(keeping_);
  std::vector<KernelObservation> observations;
  for (const Kept& kept : kept_) {
    KernelObservation& each = observations.emplace_back();
    each.name = program_.kernel_name(kept.call);
    each.launches = kept.launches;
    each.unfinished = kept.unfinished;
    each.did.lines = source_lines(kept.traffic, program_);
    each.did.barriers = kept.barriers;
    each.did.errors = kept.findings.texts(true);
    each.did.remarks = kept.findings.texts(false);
    each.findings = kept.findings.all();
    each.first.launch = kept.first;
    each.first.launch.kernel = program_.kernel_symbol(kept.call.kernel);
    each.first.completed = kept.first_completed;
    each.first.lines = source_lines(kept.first_traffic, program_);
  }
  return observations;
}

void EmulatedDevice::collect(const Launch& launch, LaunchResult result) {
  const Options& options = collection_ != nullptr ? collection_->options : kept_options_;
  const Severities& severities =
      collection_ != nullptr ? collection_->severities : kept_severities_;
  const auto error = std::ranges::find_if(result.errors, [&](const PlacedError& placed) {
    return severities.of(placed.error.mistake.kind) == Severity::error;
  });
  if (error != result.errors.end() && kernel_error_ == cudaSuccess &&
      !options.continue_after_errors) {
    kernel_error_ = error_code(error->error.mistake.kind);
  }
  if (collection_ != nullptr) {
    collection_->findings.add(launch.call.kernel, result.errors, severities);
    collection_->traffic.add(result.traffic);
    collection_->barriers += result.barriers;
  } else {
    keep(launch, result);
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
  Collection collection(options);
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
  observation.lines = options.places ? source_lines(collection.traffic, program_)
                                     : lines_without_places(collection.traffic);
  observation.grid_fills_device = collection.grid_fills_device;
  observation.barriers = collection.barriers;
  observation.errors = collection.findings.texts(true);
  observation.remarks = collection.findings.texts(false);
  return observation;
}

Observation observe(const std::function<void()>& launch, const Options& options) {
  return EmulatedDevice::instance().observe(launch, options);
}

void keep_observations(const Options& options) {
  EmulatedDevice::instance().keep_observations(options);
}

void end_launches() { EmulatedDevice::instance().end_launches(); }

Options options_of_environment() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  Options options;
  options.severities = variable("WARPGAUGE_SEVERITY");
  try {
    static_cast<void>(Severities(options.severities));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("WARPGAUGE_SEVERITY: {}", error.what()));
  }
  const std::string on_error = variable("WARPGAUGE_ON_ERROR");
  if (!on_error.empty() && on_error != "stop" && on_error != "continue") {
    throw std::invalid_argument(
        fmt::format("WARPGAUGE_ON_ERROR: `{}` is neither `stop` nor `continue`", on_error));
  }
  options.continue_after_errors = on_error == "continue";
  return options;
}

std::vector<KernelObservation> kept_observations() {
  return EmulatedDevice::instance().kept_observations();
}

}  // namespace warpgauge::emulator
