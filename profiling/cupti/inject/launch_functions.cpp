// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/launch_functions.hpp"

#include <cuda.h>

namespace warpgauge::inject {

const void* function_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
      return params_of<cuLaunchKernel_params>(call).f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
      return params_of<cuLaunchKernelEx_params>(call).f;
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return params_of<cuLaunchCooperativeKernel_params>(call).f;
    default:
      return nullptr;
  }
}

}  // namespace warpgauge::inject
