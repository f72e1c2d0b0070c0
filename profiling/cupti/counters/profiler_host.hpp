// SPDX-License-Identifier: Apache-2.0
// The host side of CUPTI's profiler, which knows the chips: their metrics, how to collect them, how
// to read the collected data. Needs neither a GPU nor a driver.
#pragma once

#include <cupti_profiler_host.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace warpgauge::cupti {

enum class MetricType { counter, ratio, throughput };

// CUPTI's description of a metric.
struct MetricProperties {
  MetricType type = MetricType::counter;
  std::string unit;       // the part of the chip that counts: "smsp", "lts", "dram"
  std::string dimension;  // of its values: "byte", "percent"; empty: none
  std::string description;
};

// The chips that this CUPTI knows, by its names. Throws CuptiError.
[[nodiscard]] std::vector<std::string> supported_chips();

// How often a kernel must run for a schedule from ProfilerHost. Throws CuptiError.
[[nodiscard]] std::size_t passes_of(std::span<const std::uint8_t> schedule);

class ProfilerHost {
 public:
  // chip: CUPTI's name, "GH100". counter_availability: the profiled device's, or empty.
  // Throws CuptiError when CUPTI does not know the chip.
  explicit ProfilerHost(const std::string& chip,
                        std::vector<std::uint8_t> counter_availability = {});
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;
  ~ProfilerHost();

  // Names without a roll-up, as in "dram__bytes_read". Throws CuptiError.
  [[nodiscard]] std::vector<std::string> base_metrics() const;

  // The roll-ups that can follow a base metric's name, such as ".sum". Throws CuptiError for an
  // unknown name.
  [[nodiscard]] std::vector<std::string> rollups(const std::string& base_metric) const;

  // Properties of a metric with or without a roll-up. Throws CuptiError for an unknown name.
  [[nodiscard]] MetricProperties properties(const std::string& metric) const;

  // Whether the chip has `metric`, including its roll-up. CUPTI crashes on unknown names, so check
  // before calling anything below.
  [[nodiscard]] bool knows(const std::string& metric) const;

  // The schedule by which a device collects `metrics`. Call once per host. Throws CuptiError.
  [[nodiscard]] std::vector<std::uint8_t> schedule(std::span<const char* const> metrics) const;

  // Values of `metrics`, in that order, in one range of a counter data image. Throws CuptiError.
  [[nodiscard]] std::vector<double> evaluate(std::span<const std::uint8_t> counter_data,
                                             std::size_t range,
                                             std::span<const char* const> metrics) const;

 private:
  std::vector<std::uint8_t> counter_availability_;  // CUPTI keeps a pointer to it
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

}  // namespace warpgauge::cupti
