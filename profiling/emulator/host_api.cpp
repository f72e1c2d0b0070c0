// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime API, answered by the emulated device.
#include <algorithm>
#include <cstring>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/runtime_api.h"

namespace {

using warpgauge::emulator::EmulatedDevice;

EmulatedDevice& device() { return EmulatedDevice::instance(); }

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrorTexts[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
};

const ErrorText* find_text(cudaError_t error) {
  const auto* found = std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                                   [&](const ErrorText& entry) { return entry.error == error; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

// Whether all of the range is device memory, as a copy on that side needs.
bool on_device(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return device().memory().find_allocation(address, bytes) != nullptr ||
         device().memory().holds_variable(address, bytes);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return device().keep(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = device().memory().allocate(bytes);
  return device().keep(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr || device().memory().release(pointer)) return cudaSuccess;
  return device().keep(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes == 0) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to == nullptr || from == nullptr || (to_device && !on_device(to, bytes)) ||
      (from_device && !on_device(from, bytes))) {
    return device().keep(cudaErrorInvalidValue);
  }
  std::memmove(to, from, bytes);
  return device().synchronize();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!on_device(pointer, bytes)) return device().keep(cudaErrorInvalidValue);
  std::memset(pointer, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(pointer, value, bytes);
}

cudaError_t cudaDeviceSynchronize() { return device().synchronize(); }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return device().synchronize(); }

cudaError_t cudaGetLastError() {
  const cudaError_t error = device().last_error();
  device().forget_last_error();
  return error;
}

cudaError_t cudaPeekAtLastError() { return device().last_error(); }

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* found = find_text(error);
  return found == nullptr ? "unrecognized error code" : found->text;
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* found = find_text(error);
  return found == nullptr ? "unrecognized error code" : found->name;
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return device().keep(cudaErrorInvalidValue);
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int ordinal) {
  return ordinal == 0 ? cudaSuccess : device().keep(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDevice(int* ordinal) {
  if (ordinal == nullptr) return device().keep(cudaErrorInvalidValue);
  *ordinal = 0;
  return cudaSuccess;
}

namespace warpgauge_emulator {

cudaError_t launch(const cudaLaunchConfig_t* config, const KernelCall& call) {
  if (config == nullptr) return device().keep(cudaErrorInvalidValue);
  if (call.kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  return device().launch(*config, call);
}

}  // namespace warpgauge_emulator
