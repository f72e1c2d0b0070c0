// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/range_profiler.hpp"

#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <utility>

#include "profiling/cupti/counters.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/cupti/parameters.hpp"
#include "profiling/cupti/range_session.hpp"
#include "profiling/launch.hpp"

namespace warpgauge::cupti {
namespace {

constexpr std::size_t kFirstRanges = 64;
constexpr std::size_t kMostRanges = std::size_t{1} << 15;

// The driver is asked for its function at run time, so that a suite starts where there is none.
CUcontext current_context() {
  require_success(cudaFree(nullptr), "cudaFree, which makes the context");
  void* function = nullptr;
  constexpr unsigned kSinceCuda = 4000;
  require_success(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, kSinceCuda,
                                                   cudaEnableDefault, nullptr),
                  "cudaGetDriverEntryPointByVersion");
  CUcontext context = nullptr;
  reinterpret_cast<CUresult(CUDAAPI*)(CUcontext*)>(function)(&context);
  if (context == nullptr) throw CuptiError("the CUDA runtime has no current context");
  return context;
}

std::string current_chip() {
  int device = 0;
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  auto chip = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Device_GetChipName);
  chip.deviceIndex = static_cast<std::size_t>(device);
  require_cupti(cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName");
  return chip.pChipName;
}

std::vector<std::uint8_t> counter_availability(CUcontext context) {
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability);
  get.ctx = context;
  require_cupti(cuptiProfilerGetCounterAvailability(&get), "cuptiProfilerGetCounterAvailability");
  std::vector<std::uint8_t> image(get.counterAvailabilityImageSize);
  get.pCounterAvailabilityImage = image.data();
  require_cupti(cuptiProfilerGetCounterAvailability(&get), "cuptiProfilerGetCounterAvailability");
  return image;
}

void run(const std::function<void()>& launch) {
  launch();
  require_success(cudaGetLastError(), "launch");
  require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
}

}  // namespace

RangeProfiler::RangeProfiler() {
  CUcontext context = current_context();
  auto initialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize);
  require_cupti(cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize");
  const std::string chip = current_chip();
  host_.emplace(chip, counter_availability(context));
  for (const Counter& counter : kCounters) {
    if (host_->knows(counter.metric)) {
      names_.emplace_back(counter.name);
      metrics_.push_back(counter.metric);
    } else {
      unknown_.emplace(counter.name, fmt::format("{} has no metric {}", chip, counter.metric));
    }
  }
  if (metrics_.empty()) throw CuptiError(fmt::format("CUPTI has no counters for {}", chip));
  schedule_ = host_->schedule(metrics_);
}

CounterReadings RangeProfiler::measure(const std::function<void()>& launch) {
  // Shows the benchmark's own errors, and loads its kernels, before CUPTI takes part.
  run(launch);

  RangeSession session(current_context());
  std::size_t room = kFirstRanges;
  session.start(metrics_, schedule_, room);
  run(launch);
  while (!session.stop()) {
    room *= 8;
    if (room > kMostRanges) {
      throw CuptiError(
          fmt::format("the benchmark launches {} kernels or more, too many to count", kMostRanges));
    }
    session.start(metrics_, schedule_, room);
    run(launch);
  }

  CounterReadings readings{.values = {}, .not_measured = unknown_};
  const std::size_t ranges = session.ranges();
  if (ranges == 0) {
    readings.not_measured["counters"] = "the benchmark launched no kernel";
    return readings;
  }
  std::vector<double> sums(metrics_.size(), 0.0);
  for (std::size_t range = 0; range < ranges; ++range) {
    const auto values = host_->evaluate(session.counter_data(), range, metrics_);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (std::isfinite(sums[i])) {
      readings.values[names_[i]] = sums[i];
    } else {
      readings.not_measured[names_[i]] = "CUPTI gave no number";
    }
  }
  return readings;
}

}  // namespace warpgauge::cupti
