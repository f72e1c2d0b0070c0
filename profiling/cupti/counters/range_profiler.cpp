// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/range_profiler.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "profiling/cupti/counters/run_launch.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge::cupti {
namespace {

constexpr std::size_t kFirstRanges =
    8;  // room that most launches need no more than; clearing it takes time
constexpr std::size_t kMostRanges = std::size_t{1} << 15;

// Looks up the driver's function at run time, so that a suite starts on machines without a driver.
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
  return chip_of(static_cast<std::uint32_t>(device));
}

}  // namespace

std::size_t passes_on_device(const std::vector<std::string>& more) {
  const std::string chip = current_chip();
  const ProfilerHost host(chip);
  const CounterPlan plan = plan_counters(host, chip, more);
  return passes_of(host.schedule(metric_names(plan)));
}

RangeProfiler::RangeProfiler(const std::vector<std::string>& more) {
  CUcontext context = current_context();
  const std::string chip = current_chip();
  host_.emplace(chip, counter_availability(context));
  plan_ = plan_counters(*host_, chip, more);
  if (plan_.metrics.empty()) throw CuptiError(fmt::format("CUPTI has no counters for {}", chip));
  metrics_ = metric_names(plan_);
  schedule_ = host_->schedule(metrics_);
}

CounterReadings RangeProfiler::measure(const std::function<void()>& launch) {
  return combine(plan_, values_of_kernels(launch));
}

std::vector<CounterReadings> RangeProfiler::measure_each(const std::function<void()>& launch) {
  std::vector<CounterReadings> readings;
  for (auto& values : values_of_kernels(launch)) {
    readings.push_back(combine(plan_, {std::move(values)}));
  }
  return readings;
}

std::vector<std::vector<double>> RangeProfiler::values_of_kernels(
    const std::function<void()>& launch) {
  // Reports the benchmark's own errors, and loads its kernels, before CUPTI takes part.
  run(launch);

  std::size_t room = kFirstRanges;
  try {
    open_session();
    session_->start();
    run(launch);
    while (!session_->stop()) {
      room *= 8;
      if (room > kMostRanges) {
        throw CuptiError(fmt::format("the benchmark launches {} kernels or more, too many to count",
                                     kMostRanges));
      }
      session_->configure(metrics_, schedule_, room);
      session_->start();
      run(launch);
    }
  } catch (...) {
    session_.reset();  // it may still be counting
    throw;
  }

  std::vector<std::vector<double>> kernels;
  const std::size_t ranges = session_->ranges();
  for (std::size_t range = 0; range < ranges; ++range) {
    kernels.push_back(host_->evaluate(session_->counter_data(), range, metrics_));
  }
  if (room > kFirstRanges) session_.reset();  // so the next benchmark need not clear so much
  return kernels;
}

void RangeProfiler::open_session() {
  const CUcontext context = current_context();
  if (session_ && session_->context() == context) return;
  session_.reset();
  session_.emplace(context);
  session_->configure(metrics_, schedule_, kFirstRanges);
}

}  // namespace warpgauge::cupti
