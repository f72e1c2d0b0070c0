// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/cupti_error.hpp"

#include <fmt/format.h>

namespace warpgauge::cupti {

std::string remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "counters need permission: run as root or with CAP_SYS_ADMIN, or load the driver with "
             "NVreg_RestrictProfilingToAdminUsers=0 "
             "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler holds the device: end it (ncu, nsys, DCGM: dcgmi profile --pause) "
             "and run again";
    case CUPTI_ERROR_NOT_INITIALIZED:
    case CUPTI_ERROR_NOT_COMPATIBLE:
      return "the driver is too old for this CUPTI: update it, or build with the toolkit that the "
             "driver supports (nvidia-smi shows it)";
    case CUPTI_ERROR_OUT_OF_MEMORY:
      return "free device memory or use a smaller size";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
      return "run on a whole GPU of compute capability 7.5 or later, outside a virtual machine "
             "that hides its counters";
    default:
      return {};
  }
}

void require_cupti(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return;
  const char* name = nullptr;
  cuptiGetResultString(result, &name);
  const std::string advice = remedy(result);
  throw CuptiError(fmt::format("{} failed: {}{}{}", call, name != nullptr ? name : "unknown result",
                               advice.empty() ? "" : "; ", advice));
}

}  // namespace warpgauge::cupti
