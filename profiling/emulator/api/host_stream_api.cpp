// SPDX-License-Identifier: Apache-2.0
// Streams and events of the CUDA runtime API, answered by the emulated device.
#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/stream_api.h"

namespace {

using warpgauge::emulator::device;

// The default stream goes by three names and is never created.
bool exists(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         device().streams().find(stream) != nullptr;
}

bool exists(cudaEvent_t event) { return device().events().find(event) != nullptr; }

template <class Handle>
cudaError_t synchronize(Handle handle) {
  return exists(handle) ? device().synchronize() : device().keep(cudaErrorInvalidResourceHandle);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return device().keep(cudaErrorInvalidValue);
  }
  *stream = device().streams().create({});
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return device().keep(device().streams().destroy(stream) ? cudaSuccess
                                                          : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return synchronize(stream); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return synchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return device().keep(exists(stream) && exists(event) ? cudaSuccess
                                                       : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr || flags > (cudaEventBlockingSync | cudaEventDisableTiming)) {
    return device().keep(cudaErrorInvalidValue);
  }
  *event = device().events().create({.timing = (flags & cudaEventDisableTiming) == 0});
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return device().keep(device().events().destroy(event) ? cudaSuccess
                                                        : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!exists(event) || !exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return synchronize(event); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return synchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr) return device().keep(cudaErrorInvalidValue);
  for (const cudaEvent_t event : {start, end}) {
    if (!exists(event) || !event->recorded || !event->timing) {
      return device().keep(cudaErrorInvalidResourceHandle);
    }
  }
  return device().keep(cudaErrorNotSupported);
}
