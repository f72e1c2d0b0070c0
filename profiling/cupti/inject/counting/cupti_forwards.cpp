// SPDX-License-Identifier: Apache-2.0
// Functions of CUPTI under their own names, within this library alone: each calls the one of the
// libcupti that the program has. An older one may lack it.
#include "profiling/cupti/inject/counting/cupti_forwards.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <atomic>

namespace warpgauge::inject {
namespace {

std::atomic<void*> cupti{nullptr};

template <class Function, class... Arguments>
CUptiResult forward(const char* name, Arguments... arguments) {
  void* const library = cupti;
  void* const function = library == nullptr ? nullptr : ::dlsym(library, name);
  if (function == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return reinterpret_cast<Function*>(function)(arguments...);
}

}  // namespace

void forward_cupti_to(void* library) { cupti = library; }

}  // namespace warpgauge::inject

#define WARPGAUGE_FORWARD(function, Parameters)                                   \
  CUptiResult CUPTIAPI function(Parameters* parameters) {                         \
    return warpgauge::inject::forward<decltype(function)>(#function, parameters); \
  }

extern "C" {

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char** text) {
  return warpgauge::inject::forward<decltype(cuptiGetResultString)>("cuptiGetResultString", result,
                                                                    text);
}

WARPGAUGE_FORWARD(cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params)
WARPGAUGE_FORWARD(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params)
WARPGAUGE_FORWARD(cuptiProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params)

WARPGAUGE_FORWARD(cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetBaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetSubMetrics, CUpti_Profiler_Host_GetSubMetrics_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetMetricProperties,
                  CUpti_Profiler_Host_GetMetricProperties_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetConfigImageSize,
                  CUpti_Profiler_Host_GetConfigImageSize_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params)
WARPGAUGE_FORWARD(cuptiProfilerHostEvaluateToGpuValues,
                  CUpti_Profiler_Host_EvaluateToGpuValues_Params)

WARPGAUGE_FORWARD(cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerDisable, CUpti_RangeProfiler_Disable_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerGetCounterDataSize,
                  CUpti_RangeProfiler_GetCounterDataSize_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerCounterDataImageInitialize,
                  CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params)
WARPGAUGE_FORWARD(cuptiRangeProfilerGetCounterDataInfo,
                  CUpti_RangeProfiler_GetCounterDataInfo_Params)

WARPGAUGE_FORWARD(cuptiSassMetricsGetProperties, CUpti_SassMetrics_GetProperties_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsSetConfig, CUpti_SassMetricsSetConfig_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsUnsetConfig, CUpti_SassMetricsUnsetConfig_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsEnable, CUpti_SassMetricsEnable_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsDisable, CUpti_SassMetricsDisable_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsGetDataProperties, CUpti_SassMetricsGetDataProperties_Params)
WARPGAUGE_FORWARD(cuptiSassMetricsFlushData, CUpti_SassMetricsFlushData_Params)

}  // extern "C"
