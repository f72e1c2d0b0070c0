// SPDX-License-Identifier: Apache-2.0
// warpgauge_doctor [counters]: prints what CUDA, CUPTI and the driver report about this machine, as
// JSON; with `counters`, whether a kernel can be counted. `warpgauge doctor`, which has no CUDA,
// runs it. It also starts on a machine without a driver, and reports that.
#include <cuda_runtime.h>
#include <cupti.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>

#include "profiling/cupti/counters/range_profiler.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/cupti/device/attached_profiler.hpp"
#include "profiling/cupti/device/device.hpp"
#include "profiling/cupti/device/driver_version.hpp"
#include "profiling/cupti/device/nvml.hpp"
#include "profiling/cupti/trial_kernel.hpp"
#include "profiling/harness/backend.hpp"
#include "profiling/results/json/session_json.hpp"

namespace {

using namespace warpgauge;
using namespace warpgauge::cupti;
using results::Json;

constexpr int kExitNotMeasured = 4;
constexpr int kExitUsage = 64;

std::string cuda_version(int number) {
  return number == 0 ? "" : fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

void add_nvml(Json& answer) {
  try {
    const Nvml nvml;
    const NvmlDevice device(nvml, current_pci_bus_id());
    answer["settings"] = results::to_json(device.settings());
    Json& reading = answer["reading"] = Json::object();
    if (const auto slowed_by = device.read().slowed_by) reading["slowed_by"] = *slowed_by;
    try {
      answer["other_processes"] = device.other_processes();
    } catch (const NvmlError& error) {
      answer["other_processes_problem"] = error.what();
    }
  } catch (const NvmlError& error) {
    answer["nvml_problem"] = error.what();
  }
}

Json facts() {
  Json answer{{"cuda", cuda_version(CUDART_VERSION)},
              {"cupti_of_build", CUPTI_API_VERSION},
              {"driver", driver_version()}};
  std::uint32_t cupti = 0;
  require_cupti(cuptiGetVersion(&cupti), "cuptiGetVersion");
  answer["cupti"] = cupti;
  int driver_cuda = 0;
  if (cudaDriverGetVersion(&driver_cuda) == cudaSuccess) {
    answer["driver_cuda"] = cuda_version(driver_cuda);
  }
  if (const auto profiler = attached_profiler(std::getenv)) answer["profiler"] = *profiler;
  try {
    answer["device"] = results::to_json(current_device());
    for (const VisibleDevice& each : visible_devices()) {
      answer["devices"].push_back({{"uuid", each.uuid}, {"name", each.name}});
    }
  } catch (const DeviceError& error) {
    answer["device_problem"] = error.what();
    return answer;
  }
  add_nvml(answer);
  try {
    constexpr auto kKernels = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    require_cupti(cuptiActivityEnable(kKernels), "cuptiActivityEnable");
    require_cupti(cuptiActivityDisable(kKernels), "cuptiActivityDisable");
  } catch (const CuptiError& error) {
    answer["time_problem"] = error.what();
  }
  return answer;
}

Json trial_of_counters() {
  try {
    static_cast<void>(current_device());
    static_cast<void>(RangeProfiler().measure(launch_trial_kernel));
  } catch (const CuptiError& error) {
    return {{"counters_problem", error.what()}};
  } catch (const DeviceError& error) {
    return {{"counters_problem", error.what()}};
  }
  return Json::object();
}

}  // namespace

int main(int argc, char** argv) {
  const bool counters = argc == 2 && std::string_view(argv[1]) == "counters";
  if (argc > 1 && !counters) {
    fmt::print(stderr, "usage: warpgauge_doctor [counters]\n");
    return kExitUsage;
  }
  try {
    const Json answer = counters ? trial_of_counters() : facts();
    fmt::print("{}\n", answer.dump(2, ' ', false, Json::error_handler_t::replace));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return kExitNotMeasured;
  }
}
