// SPDX-License-Identifier: Apache-2.0
// <cuda.h> for the emulator: the runtime, which many programs expect of it, and the driver's plain
// types. Of the driver's functions only those are there that ask which device there is.
#pragma once

#include "cuda_runtime.h"

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st*;
using CUstream = cudaStream_t;
using CUevent = cudaEvent_t;

inline constexpr CUresult CUDA_SUCCESS = 0;

inline CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
inline CUresult cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }
inline CUresult cuDeviceGetCount(int* count) { return cudaGetDeviceCount(count); }
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return cudaSetDevice(ordinal);
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}
