// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/range_session.hpp"

#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>

#include "profiling/cupti/counters/parameters.hpp"
#include "profiling/cupti/cupti_error.hpp"

namespace warpgauge::cupti {

std::string chip_of(std::uint32_t device) {
  // cuptiDeviceGetChipName crashes (SIGSEGV) in a process that has not initialized the profiler.
  auto initialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize);
  require_cupti(cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize");
  auto chip = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Device_GetChipName);
  chip.deviceIndex = device;
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

RangeSession::RangeSession(CUcontext context) : context_(context) {
  auto enable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable);
  enable.ctx = context;
  require_cupti(cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable");
  profiler_ = enable.pRangeProfilerObject;
}

RangeSession::~RangeSession() {
  auto disable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable);
  disable.pRangeProfilerObject = profiler_;
  cuptiRangeProfilerDisable(&disable);
}

void RangeSession::configure(std::span<const char* const> metrics,
                             std::span<const std::uint8_t> schedule, std::size_t most_ranges) {
  most_ranges_ = most_ranges;
  auto size = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = const_cast<const char**>(metrics.data());
  size.numMetrics = metrics.size();
  size.maxNumOfRanges = most_ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(most_ranges);
  require_cupti(cuptiRangeProfilerGetCounterDataSize(&size),
                "cuptiRangeProfilerGetCounterDataSize");

  counter_data_.resize(size.counterDataSize);
  clear();
  auto config = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig);
  config.pRangeProfilerObject = profiler_;
  config.configSize = schedule.size();
  config.pConfig = schedule.data();
  config.counterDataImageSize = counter_data_.size();
  config.pCounterDataImage = counter_data_.data();
  config.range = CUPTI_AutoRange;
  config.replayMode = CUPTI_KernelReplay;
  config.maxRangesPerPass = most_ranges;
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  require_cupti(cuptiRangeProfilerSetConfig(&config), "cuptiRangeProfilerSetConfig");
}

void RangeSession::clear() {
  std::fill(counter_data_.begin(), counter_data_.end(), std::uint8_t{0});
  auto initialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize);
  initialize.pRangeProfilerObject = profiler_;
  initialize.counterDataSize = counter_data_.size();
  initialize.pCounterData = counter_data_.data();
  require_cupti(cuptiRangeProfilerCounterDataImageInitialize(&initialize),
                "cuptiRangeProfilerCounterDataImageInitialize");
}

void RangeSession::start() {
  clear();
  auto begin = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start);
  begin.pRangeProfilerObject = profiler_;
  require_cupti(cuptiRangeProfilerStart(&begin), "cuptiRangeProfilerStart");
}

bool RangeSession::stop() {
  auto end = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop);
  end.pRangeProfilerObject = profiler_;
  require_cupti(cuptiRangeProfilerStop(&end), "cuptiRangeProfilerStop");

  auto decode = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = profiler_;
  require_cupti(cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData");
  // A full image may have lost kernels without saying so.
  return decode.numOfRangeDropped == 0 && ranges() < most_ranges_;
}

std::size_t RangeSession::ranges() const {
  auto info = WARPGAUGE_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo);
  info.pCounterDataImage = counter_data_.data();
  info.counterDataImageSize = counter_data_.size();
  require_cupti(cuptiRangeProfilerGetCounterDataInfo(&info),
                "cuptiRangeProfilerGetCounterDataInfo");
  return info.numTotalRanges;
}

}  // namespace warpgauge::cupti
