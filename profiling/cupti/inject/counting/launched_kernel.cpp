// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/launched_kernel.hpp"

#include <cstdint>

#include "profiling/cupti/inject/driver_function.hpp"
#include "profiling/cupti/inject/launch_functions.hpp"

namespace warpgauge::inject {
namespace {

// cudaKernel_t is taken for a function, too.
std::string symbol_of(CUfunction function, const char* said) {
  if (said != nullptr && *said != '\0') return said;
  const char* name = nullptr;
  const auto of_function = driver_function<decltype(cuFuncGetName)>("cuFuncGetName");
  if (of_function != nullptr && of_function(&name, function) == CUDA_SUCCESS && name != nullptr) {
    return name;
  }
  const auto of_kernel = driver_function<decltype(cuKernelGetName)>("cuKernelGetName");
  auto* const kernel = reinterpret_cast<CUkernel>(function);
  if (of_kernel != nullptr && of_kernel(&name, kernel) == CUDA_SUCCESS && name != nullptr) {
    return name;
  }
  return "?";
}

// The default stream is another one to the calls that are of a thread.
CUstream stream_of(CUpti_CallbackId id, CUstream given) {
  if (given != nullptr) return given;
  const bool of_thread = id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
                         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz ||
                         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
  return of_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
}

template <class Extents>
LaunchedKernel made(const Extents& launch, CUfunction function, CUpti_CallbackId id,
                    const CUpti_CallbackData& call) {
  LaunchedKernel kernel;
  kernel.function = function;
  kernel.stream = stream_of(id, launch.hStream);
  kernel.symbol = symbol_of(function, call.symbolName);
  const std::uint32_t extents[] = {launch.gridDimX,  launch.gridDimY,  launch.gridDimZ,
                                   launch.blockDimX, launch.blockDimY, launch.blockDimZ};
  for (std::size_t i = 0; i < 3; ++i) {
    kernel.alike.grid[i] = extents[i];
    kernel.alike.block[i] = extents[i + 3];
  }
  kernel.alike.dynamic_shared_bytes = launch.sharedMemBytes;
  return kernel;
}

}  // namespace

const std::vector<CUpti_CallbackId>& kernel_launches() {
  static const std::vector<CUpti_CallbackId> all{
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
      CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
  };
  return all;
}

std::optional<LaunchedKernel> launched_kernel(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& params = params_of<cuLaunchKernel_params>(call);
      return made(params, params.f, id, call);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& params = params_of<cuLaunchKernelEx_params>(call);
      if (params.config == nullptr) return std::nullopt;
      return made(*params.config, params.f, id, call);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& params = params_of<cuLaunchCooperativeKernel_params>(call);
      return made(params, params.f, id, call);
    }
    default:
      return std::nullopt;
  }
}

bool is_captured(CUstream stream) {
  const auto ask = driver_function<decltype(cuStreamIsCapturing)>("cuStreamIsCapturing");
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  // It fails where the stream waits for others of which one is captured, and no launch may follow.
  const bool is_known = ask != nullptr && ask(stream, &status) == CUDA_SUCCESS;
  return !is_known || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace warpgauge::inject
