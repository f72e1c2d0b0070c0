// SPDX-License-Identifier: Apache-2.0
// Launches, errors and the choice of a device of the CUDA runtime API, answered by the emulated
// device.
#include <algorithm>
#include <iterator>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/runtime_api.h"

namespace {

using warpgauge::emulator::device;

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
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
};

const ErrorText* find_text(cudaError_t error) {
  const auto* found = std::find_if(std::begin(kErrorTexts), std::end(kErrorTexts),
                                   [&](const ErrorText& entry) { return entry.error == error; });
  return found == std::end(kErrorTexts) ? nullptr : found;
}

}  // namespace

cudaError_t cudaDeviceSynchronize() { return device().synchronize(); }

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
