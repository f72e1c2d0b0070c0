// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/profiler_host.hpp"

#include <utility>

#include "profiling/cupti/cupti_error.hpp"
#include "profiling/cupti/parameters.hpp"

namespace warpgauge::cupti {
namespace {

// CUPTI asks for an array of names that it could change, and does not.
const char** names(std::span<const char* const> metrics) {
  return const_cast<const char**>(metrics.data());
}

}  // namespace

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

bool ProfilerHost::knows(const char* metric) const {
  auto properties = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetMetricProperties);
  properties.pHostObject = host_;
  properties.pMetricName = metric;
  return cuptiProfilerHostGetMetricProperties(&properties) == CUPTI_SUCCESS;
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
