// SPDX-License-Identifier: Apache-2.0
// Launches, errors and the choice of a device of the CUDA runtime API, answered by the emulated
// device.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/abi.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/runtime_api.h"

namespace {

using warpgauge::emulator::device;

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrorTexts[] = {
#define WARPGAUGE_TEXT(name, value, text) {name, #name, text},
    WARPGAUGE_CUDA_ERRORS(WARPGAUGE_TEXT)
#undef WARPGAUGE_TEXT
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
namespace {

// A launch for a graph, with the arguments as they are now.
cudaError_t capture(const cudaLaunchConfig_t& config, const KernelCall& call) {
  const char* from = static_cast<const char*>(call.arguments);
  // Aligned as the arguments are, whatever they are.
  constexpr std::size_t kAlignment = 16;
  const std::size_t pieces = (call.arguments_bytes + kAlignment - 1) / kAlignment;
  struct alignas(kAlignment) Piece {
    char bytes[kAlignment];
  };
  std::vector<Piece> arguments(pieces);
  std::memcpy(arguments.data(), from, call.arguments_bytes);
  std::vector<cudaLaunchAttribute> attributes(config.attrs, config.attrs + config.numAttrs);
  return warpgauge::emulator::in_stream(config.stream, cudaGraphNodeTypeKernel,
                                        [config = cudaLaunchConfig_t(config),
                                         call = KernelCall(call), arguments, attributes]() mutable {
                                          config.stream = nullptr;
                                          config.attrs = attributes.data();
                                          call.arguments = arguments.data();
                                          return device().launch(config, call);
                                        });
}

}  // namespace

cudaError_t launch(const cudaLaunchConfig_t* config, const KernelCall& call) {
  require_host("launch by a kernel, which the emulator lacks: launch from the host",
               {__builtin_return_address(0), __builtin_frame_address(0)});
  if (config == nullptr) return device().keep(cudaErrorInvalidValue);
  if (call.kernel == nullptr) return device().keep(cudaErrorInvalidDeviceFunction);
  if (!warpgauge::emulator::is_stream(config->stream)) {
    return device().keep(cudaErrorInvalidResourceHandle);
  }
  if (device().host().streams.find(config->stream) == nullptr ||
      config->stream->capture == nullptr) {
    return device().launch(*config, call);
  }
  return capture(*config, call);
}

}  // namespace warpgauge_emulator
