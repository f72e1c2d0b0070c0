// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/activity_session.hpp"

#include <cupti_activity.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "profiling/cupti/cupti_error.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {
namespace {

// Holds some forty thousand records, so that one observation needs one buffer.
constexpr std::size_t kBufferBytes = std::size_t{8} << 20;
constexpr std::size_t kBufferAlignment = 8;

void CUPTIAPI provide_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

// CUPTI declares some counts as signed; they are never negative.
template <class Number>
std::uint32_t as_unsigned(Number value) {
  return static_cast<std::uint32_t>(value);
}

template <class Number>
results::Extents extents(Number x, Number y, Number z) {
  return {as_unsigned(x), as_unsigned(y), as_unsigned(z)};
}

results::KernelLaunch launch_of(const CUpti_ActivityKernel10& kernel) {
  results::KernelLaunch launch{.kernel = kernel.name != nullptr ? kernel.name : "",
                               .grid = extents(kernel.gridX, kernel.gridY, kernel.gridZ),
                               .block = extents(kernel.blockX, kernel.blockY, kernel.blockZ),
                               .dynamic_shared_bytes = as_unsigned(kernel.dynamicSharedMemory)};
  // 0: no clusters.
  if (kernel.clusterX > 0) {
    launch.cluster = extents(kernel.clusterX, kernel.clusterY, kernel.clusterZ);
  }
  // One beyond 100 % is cudaSharedmemCarveoutDefault: none.
  if (kernel.isSharedMemoryCarveoutRequested != 0 && kernel.sharedMemoryCarveoutRequested <= 100) {
    launch.shared_carveout = kernel.sharedMemoryCarveoutRequested;
  }
  return launch;
}

}  // namespace

struct ActivitySession::Log {
  std::mutex mutex;  // buffers arrive on a thread of CUPTI's
  std::vector<KernelRecord> records;
  std::vector<CopyRecord> copies;
  std::vector<results::KernelLaunch> launches;  // each kind once
  std::size_t dropped = 0;

  static void CUPTIAPI receive_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                      std::size_t /*bytes*/, std::size_t valid_bytes);
  void add(const CUpti_Activity& activity);
};

// CUPTI's callbacks carry no user pointer, so they find the only session here.
std::atomic<ActivitySession::Log*> ActivitySession::receiver_ = nullptr;

void ActivitySession::Log::add(const CUpti_Activity& activity) {
  if (activity.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(activity);
    copies.push_back({copy.start, copy.end});
  } else if (activity.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(activity);
    copies.push_back({set.start, set.end});
  }
  if (activity.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) return;
  const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(activity);
  const results::KernelLaunch launch = launch_of(kernel);
  auto known = std::find(launches.begin(), launches.end(), launch);
  if (known == launches.end()) known = launches.insert(known, launch);
  records.push_back({kernel.start, kernel.end, role_of(launch.kernel),
                     static_cast<std::size_t>(known - launches.begin())});
}

void CUPTIAPI ActivitySession::Log::receive_buffer(CUcontext context, std::uint32_t stream,
                                                   std::uint8_t* buffer, std::size_t /*bytes*/,
                                                   std::size_t valid_bytes) {
  if (Log* log = receiver_; log != nullptr) {
    const std::lock_guard lock(log->mutex);
    CUpti_Activity* activity = nullptr;
    while (cuptiActivityGetNextRecord(buffer, valid_bytes, &activity) == CUPTI_SUCCESS) {
      log->add(*activity);
    }
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
      log->dropped += dropped;
    }
  }
  std::free(buffer);
}

ActivitySession::ActivitySession() : log_(std::make_unique<Log>()) {
  require_cupti(cuptiActivityRegisterCallbacks(provide_buffer, Log::receive_buffer),
                "cuptiActivityRegisterCallbacks");
  require_cupti(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
  receiver_ = log_.get();
}

ActivitySession::~ActivitySession() {
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  receiver_ = nullptr;
}

std::vector<KernelRecord> ActivitySession::take_records() {
  require_cupti(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  const std::lock_guard lock(log_->mutex);
  if (log_->dropped > 0) {
    throw DeviceError(
        fmt::format("CUPTI dropped {} kernel records, so the samples are not complete: free host "
                    "memory, or let "
                    "the benchmark launch fewer kernels at a time",
                    log_->dropped));
  }
  return std::exchange(log_->records, {});
}

void ActivitySession::record_copies(bool records) {
  for (const CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    require_cupti(records ? cuptiActivityEnable(kind) : cuptiActivityDisable(kind),
                  "cuptiActivityEnable");
  }
}

std::vector<CopyRecord> ActivitySession::take_copies() {
  const std::lock_guard lock(log_->mutex);
  return std::exchange(log_->copies, {});
}

results::KernelLaunch ActivitySession::launch(std::size_t which) const {
  const std::lock_guard lock(log_->mutex);
  return log_->launches.at(which);
}

}  // namespace warpgauge::cupti
