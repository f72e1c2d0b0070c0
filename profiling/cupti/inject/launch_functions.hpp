// SPDX-License-Identifier: Apache-2.0
// The driver's functions that launch kernels and graphs, and what they are called with.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <iterator>

namespace warpgauge::inject {

// The runtime's launches are the driver's, too, and kernels bear the number of that call.
inline constexpr CUpti_CallbackId kLaunchFunctions[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz,
};

inline constexpr CUpti_CallbackId kKernelNodeFunctions[] = {
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddKernelNode_v2,
};

[[nodiscard]] inline bool adds_kernel_to_graph(CUpti_CallbackId id) {
  return std::find(std::begin(kKernelNodeFunctions), std::end(kKernelNodeFunctions), id) !=
         std::end(kKernelNodeFunctions);
}

[[nodiscard]] inline bool is_launch(CUpti_CallbackId id) {
  return std::find(std::begin(kLaunchFunctions), std::end(kLaunchFunctions), id) !=
         std::end(kLaunchFunctions);
}

[[nodiscard]] inline bool is_graph_launch(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

template <class Params>
[[nodiscard]] const Params& params_of(const CUpti_CallbackData& call) {
  return *static_cast<const Params*>(call.functionParams);
}

// The kernel that is launched. Nothing: it is not one, or of several.
[[nodiscard]] const void* function_of(CUpti_CallbackId id, const CUpti_CallbackData& call);

}  // namespace warpgauge::inject
