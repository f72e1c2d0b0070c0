// SPDX-License-Identifier: Apache-2.0
// <cuda.h> for the emulator: the runtime, which many programs expect of it, and the driver's plain
// types. Of the driver's functions only those are there that ask which device there is.
#pragma once

// Headers of programs ask whether the driver's API is there by its guard.
#define __cuda_cuda_h__

#include <cstring>

#include "cuda_runtime.h"
#include "warpgauge_emulator/host_api/driver_attributes.h"

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

inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
}
inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) return error;
  if (name == nullptr || length <= 0) return cudaErrorInvalidValue;
  std::strncpy(name, properties.name, static_cast<std::size_t>(length) - 1);
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  cudaDeviceProp properties{};
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess) return error;
  if (bytes == nullptr) return cudaErrorInvalidValue;
  *bytes = properties.totalGlobalMem;
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return cudaDeviceCanAccessPeer(can, device, peer);
}
