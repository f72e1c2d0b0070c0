// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/instruction_counter.hpp"

#include <cupti.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "profiling/cupti/counters/parameters.hpp"
#include "profiling/cupti/counters/run_launch.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/machine_code/symbol_names.hpp"

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

void ignore(void* /*user*/, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId /*id*/,
            const void* /*what*/) {}

// While it exists, CUPTI patches kernels at launch and counts them.
class CountingRange {
 public:
  CountingRange() {
    auto enable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsEnable);
    enable.enableLazyPatching = 1;
    require_cupti(cuptiSassMetricsEnable(&enable), "cuptiSassMetricsEnable");
  }
  ~CountingRange() {
    auto disable = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsDisable);
    cuptiSassMetricsDisable(&disable);
  }
  CountingRange(const CountingRange&) = delete;
  CountingRange& operator=(const CountingRange&) = delete;

  // Counts since the range began, by function symbol and offset.
  using Counts = std::map<std::pair<std::string, std::uint32_t>, InstructionTraffic>;
  [[nodiscard]] static Counts read(const std::map<std::uint64_t, Figure>& figures) {
    auto size = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsGetDataProperties);
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
        const auto figure = figures.find(each.pInstanceValues[i].metricId);
        if (figure == figures.end()) continue;
        std::uint64_t& value = instruction.*figure->second;
        value = std::max(value, each.pInstanceValues[i].value);
      }
    }
    return counts;
  }
};

}  // namespace

InstructionCounter::InstructionCounter() {
  int device = 0;
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  require_success(cudaFree(nullptr), "cudaFree, which makes the context");
  device_ = static_cast<std::uint32_t>(device);
  // Without a subscriber to these, CUPTI 13.0 counts only the first function launched.
  require_cupti(cuptiSubscribe(&subscriber_, ignore, nullptr), "cuptiSubscribe");
  try {
    require_cupti(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE), "cuptiEnableDomain");
    configure();
  } catch (...) {
    cuptiUnsubscribe(subscriber_);
    throw;
  }
}

void InstructionCounter::configure() {
  auto initialize = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Profiler_Initialize);
  require_cupti(cuptiProfilerInitialize(&initialize), "cuptiProfilerInitialize");
  auto chip = WARPGAUGE_CUPTI_PARAMETERS(CUpti_Device_GetChipName);
  chip.deviceIndex = device_;
  require_cupti(cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName");
  std::vector<CUpti_SassMetrics_Config> metrics;
  for (const SassMetric& metric : kMetrics) {
    auto properties = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetrics_GetProperties);
    properties.pChipName = chip.pChipName;
    properties.pMetricName = metric.name;
    const CUptiResult known = cuptiSassMetricsGetProperties(&properties);
    // Chips before compute capability 8.0 have no such copies.
    if (known != CUPTI_SUCCESS && std::string_view(metric.name) == kAsyncCopies) continue;
    require_cupti(known, fmt::format("cuptiSassMetricsGetProperties of {} for {}", metric.name,
                                     chip.pChipName)
                             .c_str());
    metrics.push_back({properties.metric.metricId, CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU});
    figures_[properties.metric.metricId] = metric.figure;
  }
  auto config = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsSetConfig);
  config.numOfMetricConfig = metrics.size();
  config.pConfigs = metrics.data();
  config.deviceIndex = device_;
  require_cupti(cuptiSassMetricsSetConfig(&config), "cuptiSassMetricsSetConfig");
}

InstructionCounter::~InstructionCounter() {
  auto unset = WARPGAUGE_CUPTI_PARAMETERS(CUpti_SassMetricsUnsetConfig);
  unset.deviceIndex = device_;
  cuptiSassMetricsUnsetConfig(&unset);
  cuptiUnsubscribe(subscriber_);
}

InstructionCounts InstructionCounter::count(const std::function<void()>& launch) {
  // Reports the benchmark's own errors before CUPTI takes part.
  run(launch);

  const CountingRange range;
  run(launch);
  InstructionCounts counts;
  for (auto& [place, instruction] : CountingRange::read(figures_)) {
    instruction.kernel = machine_code::demangled(place.first);
    instruction.offset_bytes = place.second;
    if (counts.kernels.empty() || counts.kernels.back() != instruction.kernel) {
      counts.kernels.push_back(instruction.kernel);
    }
    const bool moved = instruction.wavefronts > 0 || instruction.sectors > 0;
    if (moved) counts.instructions.push_back(std::move(instruction));
  }
  return counts;
}

}  // namespace warpgauge::cupti
