// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/profiler_host.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "profiling/cupti/counters/parameters.hpp"
#include "profiling/cupti/cupti_error.hpp"

namespace warpgauge::cupti {
namespace {

// CUPTI's signature lacks a const; it does not change the names.
const char** names(std::span<const char* const> metrics) {
  return const_cast<const char**>(metrics.data());
}

constexpr std::array kTypes{std::pair(CUPTI_METRIC_TYPE_COUNTER, MetricType::counter),
                            std::pair(CUPTI_METRIC_TYPE_RATIO, MetricType::ratio),
                            std::pair(CUPTI_METRIC_TYPE_THROUGHPUT, MetricType::throughput)};

std::string text_or_nothing(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

std::vector<std::string> supported_chips() {
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips);
  require_cupti(cuptiProfilerHostGetSupportedChips(&get), "cuptiProfilerHostGetSupportedChips");
  return {get.ppChipNames, get.ppChipNames + get.numChips};
}

std::size_t passes_of(std::span<const std::uint8_t> schedule) {
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses);
  get.configImageSize = schedule.size();
  get.pConfigImage = const_cast<std::uint8_t*>(schedule.data());  // which CUPTI only reads
  require_cupti(cuptiProfilerHostGetNumOfPasses(&get), "cuptiProfilerHostGetNumOfPasses");
  return get.numOfPasses;
}

ProfilerHost::ProfilerHost(const std::string& chip, std::vector<std::uint8_t> counter_availability)
    : counter_availability_(std::move(counter_availability)) {
  auto initialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize);
  initialize.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  initialize.pChipName = chip.c_str();
  initialize.pCounterAvailabilityImage =
      counter_availability_.empty() ? nullptr : counter_availability_.data();
  require_cupti(cuptiProfilerHostInitialize(&initialize), "cuptiProfilerHostInitialize");
  host_ = initialize.pHostObject;
}

ProfilerHost::~ProfilerHost() {
  auto deinitialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize);
  deinitialize.pHostObject = host_;
  cuptiProfilerHostDeinitialize(&deinitialize);
}

std::vector<std::string> ProfilerHost::base_metrics() const {
  std::vector<std::string> all;
  for (const auto& [type, ours] : kTypes) {
    auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics);
    get.pHostObject = host_;
    get.metricType = type;
    require_cupti(cuptiProfilerHostGetBaseMetrics(&get), "cuptiProfilerHostGetBaseMetrics");
    all.insert(all.end(), get.ppMetricNames, get.ppMetricNames + get.numMetrics);
  }
  return all;
}

std::vector<std::string> ProfilerHost::rollups(const std::string& base_metric) const {
  const MetricType type = properties(base_metric).type;
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSubMetrics);
  get.pHostObject = host_;
  get.metricType = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& each) {
                     return each.second == type;
                   })->first;
  get.pMetricName = base_metric.c_str();
  require_cupti(cuptiProfilerHostGetSubMetrics(&get), "cuptiProfilerHostGetSubMetrics");
  return {get.ppSubMetrics, get.ppSubMetrics + get.numOfSubmetrics};
}

MetricProperties ProfilerHost::properties(const std::string& metric) const {
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties);
  get.pHostObject = host_;
  get.pMetricName = metric.c_str();
  require_cupti(cuptiProfilerHostGetMetricProperties(&get), "cuptiProfilerHostGetMetricProperties");
  MetricProperties properties{.unit = text_or_nothing(get.pHwUnit),
                              .dimension = text_or_nothing(get.pDimUnit),
                              .description = text_or_nothing(get.pDescription)};
  for (const auto& [type, ours] : kTypes) {
    if (type == get.metricType) properties.type = ours;
  }
  return properties;
}

bool ProfilerHost::knows(const std::string& metric) const {
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties);
  get.pHostObject = host_;
  get.pMetricName = metric.c_str();
  if (cuptiProfilerHostGetMetricProperties(&get) != CUPTI_SUCCESS) return false;
  // CUPTI describes a base metric too, but does not collect it.
  const auto bases = base_metrics();
  return std::find(bases.begin(), bases.end(), metric) == bases.end();
}

std::vector<std::uint8_t> ProfilerHost::schedule(std::span<const char* const> metrics) const {
  auto add = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics);
  add.pHostObject = host_;
  add.ppMetricNames = names(metrics);
  add.numMetrics = metrics.size();
  require_cupti(cuptiProfilerHostConfigAddMetrics(&add), "cuptiProfilerHostConfigAddMetrics");

  auto size = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = host_;
  require_cupti(cuptiProfilerHostGetConfigImageSize(&size), "cuptiProfilerHostGetConfigImageSize");

  std::vector<std::uint8_t> image(size.configImageSize);
  auto get = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage);
  get.pHostObject = host_;
  get.configImageSize = image.size();
  get.pConfigImage = image.data();
  require_cupti(cuptiProfilerHostGetConfigImage(&get), "cuptiProfilerHostGetConfigImage");
  return image;
}

std::vector<double> ProfilerHost::evaluate(std::span<const std::uint8_t> counter_data,
                                           std::size_t range,
                                           std::span<const char* const> metrics) const {
  std::vector<double> values(metrics.size());
  auto evaluation = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues);
  evaluation.pHostObject = host_;
  evaluation.pCounterDataImage = counter_data.data();
  evaluation.counterDataImageSize = counter_data.size();
  evaluation.rangeIndex = range;
  evaluation.ppMetricNames = names(metrics);
  evaluation.numMetrics = metrics.size();
  evaluation.pMetricValues = values.data();
  require_cupti(cuptiProfilerHostEvaluateToGpuValues(&evaluation),
                "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

}  // namespace warpgauge::cupti
