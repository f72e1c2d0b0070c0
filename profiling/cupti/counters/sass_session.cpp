// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/sass_session.hpp"

#include <cupti_profiler_target.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "profiling/cupti/counters/parameters.hpp"
#include "profiling/cupti/counters/range_session.hpp"
#include "profiling/cupti/cupti_error.hpp"

namespace warpgauge::cupti {
namespace {

using results::InstructionTraffic;
using Figure = std::uint64_t InstructionTraffic::*;

struct SassMetric {
  const char* name;
  Figure figure;
};

constexpr const char* kAsyncCopies = "smsp__sass_inst_executed_op_ldgsts";

// Counts requests as the counters do: only warps in which some lane's predicate is true, unlike
// smsp__sass_inst_executed. If several metrics match an instruction, the greatest value counts.
constexpr SassMetric kMetrics[] = {
    {"smsp__sass_inst_executed_op_shared", &InstructionTraffic::requests},
    {"smsp__sass_inst_executed_op_global", &InstructionTraffic::requests},
    {kAsyncCopies, &InstructionTraffic::requests},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", &InstructionTraffic::wavefronts},
    {"smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
     &InstructionTraffic::ideal_wavefronts},
    {"smsp__sass_sectors_mem_global", &InstructionTraffic::sectors},
    {"smsp__sass_sectors_mem_global_ideal", &InstructionTraffic::ideal_sectors},
};

}  // namespace

SassSession::SassSession(std::uint32_t device) : device_(device) {
  const std::string chip = chip_of(device);
  std::vector<CUpti_SassMetrics_Config> metrics;
  for (const SassMetric& metric : kMetrics) {
    auto properties = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetrics_GetProperties);
    properties.pChipName = chip.c_str();
    properties.pMetricName = metric.name;
    const CUptiResult known = cuptiSassMetricsGetProperties(&properties);
    // Chips before compute capability 8.0 have no such copies.
    if (known != CUPTI_SUCCESS && std::string_view(metric.name) == kAsyncCopies) continue;
    require_cupti(
        known,
        fmt::format("cuptiSassMetricsGetProperties of {} for {}", metric.name, chip).c_str());
    metrics.push_back({properties.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
    figures_[properties.metric.metricId] = metric.figure;
  }
  auto config = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsSetConfig);
  config.numOfMetricConfig = metrics.size();
  config.pConfigs = metrics.data();
  config.deviceIndex = device_;
  require_cupti(cuptiSassMetricsSetConfig(&config), "cuptiSassMetricsSetConfig");
}

SassSession::~SassSession() {
  end();
  auto unset = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsUnsetConfig);
  unset.deviceIndex = device_;
  cuptiSassMetricsUnsetConfig(&unset);
}

void SassSession::begin(CUcontext context) {
  context_ = context;
  auto enable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsEnable);
  enable.ctx = context;
  enable.enableLazyPatching = 1;
  require_cupti(cuptiSassMetricsEnable(&enable), "cuptiSassMetricsEnable");
  counts_ = true;
}

void SassSession::end() noexcept {
  if (!counts_) return;
  counts_ = false;
  auto disable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsDisable);
  disable.ctx = context_;
  cuptiSassMetricsDisable(&disable);
}

SassSession::Counts SassSession::read() const {
  auto size = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsGetDataProperties);
  size.ctx = context_;
  require_cupti(cuptiSassMetricsGetDataProperties(&size), "cuptiSassMetricsGetDataProperties");
  const std::size_t records = size.numOfPatchedInstructionRecords;
  const std::size_t instances = size.numOfInstances;
  if (records == 0 || instances == 0) return {};

  std::vector<CUpti_SassMetrics_InstanceValue> values(records * instances);
  std::vector<CUpti_SassMetrics_Data> data(records);
  for (std::size_t i = 0; i < records; ++i) {
    data[i].structSize = sizeof(CUpti_SassMetrics_Data);
    data[i].pInstanceValues = &values[i * instances];
  }
  auto flush = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsFlushData);
  flush.ctx = context_;
  flush.numOfPatchedInstructionRecords = records;
  flush.numOfInstances = instances;
  flush.pMetricsData = data.data();
  require_cupti(cuptiSassMetricsFlushData(&flush), "cuptiSassMetricsFlushData");

  Counts counts;
  for (const CUpti_SassMetrics_Data& each : data) {
    const std::string symbol = each.functionName == nullptr ? "" : each.functionName;
    std::free(const_cast<char*>(each.functionName));  // NOLINT: CUPTI gives it away
    InstructionTraffic& instruction = counts[{symbol, each.pcOffset}];
    for (std::size_t i = 0; i < instances; ++i) {
      const auto figure = figures_.find(each.pInstanceValues[i].metricId);
      if (figure == figures_.end()) continue;
      std::uint64_t& value = instruction.*figure->second;
      value = std::max(value, each.pInstanceValues[i].value);
    }
  }
  return counts;
}

}  // namespace warpgauge::cupti
