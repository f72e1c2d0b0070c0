// SPDX-License-Identifier: Apache-2.0
// Owns the profiling of the current context: its kernels are counted between start and stop.
#pragma once

#include <cupti_range_profiler.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpgauge::cupti {

// CUPTI's name of a device's chip, "GH100". Initializes CUPTI's profiler. Throws CuptiError.
[[nodiscard]] std::string chip_of(std::uint32_t device);

// Which counters the context's device has free, for ProfilerHost. Throws CuptiError.
[[nodiscard]] std::vector<std::uint8_t> counter_availability(CUcontext context);

class RangeSession {
 public:
  // Throws CuptiError when the context cannot be profiled.
  explicit RangeSession(CUcontext context);
  RangeSession(const RangeSession&) = delete;
  RangeSession& operator=(const RangeSession&) = delete;
  ~RangeSession();

  // Makes room for `most_ranges` kernels. Throws CuptiError.
  void configure(std::span<const char* const> metrics, std::span<const std::uint8_t> schedule,
                 std::size_t most_ranges);

  // Forgets what was counted, and counts from now, as configured. Throws CuptiError.
  void start();

  [[nodiscard]] CUcontext context() const { return context_; }

  // Ends counting. The device must be idle. Returns whether all kernels found room. Throws
  // CuptiError.
  [[nodiscard]] bool stop();

  // What was counted, for ProfilerHost::evaluate.
  [[nodiscard]] std::span<const std::uint8_t> counter_data() const { return counter_data_; }

  // Kernels counted. Throws CuptiError.
  [[nodiscard]] std::size_t ranges() const;

 private:
  void clear();

  CUcontext context_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<std::uint8_t> counter_data_;
  std::size_t most_ranges_ = 0;
};

}  // namespace warpgauge::cupti
