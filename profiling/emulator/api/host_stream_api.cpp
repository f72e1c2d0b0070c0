// SPDX-License-Identifier: Apache-2.0
// Streams and events of the CUDA runtime API, answered by the emulated device.
#include <algorithm>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/stream_api.h"

namespace warpgauge::emulator {
namespace {

// The default stream goes by three names and is never created.
bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

CUgraph_st* captured_by(cudaStream_t stream) {
  return device().host().streams.find(stream) == nullptr ? nullptr : stream->capture;
}

bool is_stream(cudaStream_t stream) {
  return is_default(stream) || device().host().streams.find(stream) != nullptr;
}

cudaError_t in_stream(cudaStream_t stream, cudaGraphNodeType type,
                      const std::function<cudaError_t()>& work) {
  if (!is_stream(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  if (is_default(stream) || stream->capture == nullptr) return work();
  stream->capture->add(type, work);
  return cudaSuccess;
}

}  // namespace warpgauge::emulator

namespace {

using namespace warpgauge::emulator;

constexpr int kGreatestPriority = -5;  // the least is 0, as on an H200

bool exists(cudaStream_t stream) { return is_stream(stream); }
bool exists(cudaEvent_t event) { return device().host().events.find(event) != nullptr; }

std::map<cudaStreamAttrID, cudaStreamAttrValue>& attributes_of(cudaStream_t stream) {
  auto& host = device().host();
  return host.streams.find(stream) == nullptr ? host.default_attributes : stream->attributes;
}

template <class Handle>
cudaError_t synchronize(Handle handle) {
  return exists(handle) ? device().synchronize() : device().keep(cudaErrorInvalidResourceHandle);
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return device().keep(cudaErrorInvalidValue);
  }
  CUstream_st made;
  made.flags = flags;
  made.priority = std::clamp(priority, kGreatestPriority, 0);
  *stream = device().host().streams.create(made);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return device().keep(cudaErrorInvalidValue);
  if (!exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  const CUstream_st* made = device().host().streams.find(stream);
  *priority = made == nullptr ? 0 : made->priority;
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  if (flags == nullptr) return device().keep(cudaErrorInvalidValue);
  if (!exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  const CUstream_st* made = device().host().streams.find(stream);
  *flags = made == nullptr ? cudaStreamDefault : made->flags;
  return cudaSuccess;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* ordinal) {
  if (!exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  return cudaGetDevice(ordinal);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return device().keep(device().host().streams.destroy(stream) ? cudaSuccess
                                                               : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (captured_by(stream) != nullptr) return device().keep(cudaErrorStreamCaptureUnsupported);
  return synchronize(stream);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

// A stream that waits for an event of a captured one is captured, too.
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (!exists(stream) || !exists(event)) return device().keep(cudaErrorInvalidResourceHandle);
  if (event->capture == nullptr || captured_by(stream) == event->capture) return cudaSuccess;
  if (device().host().streams.find(stream) == nullptr) {
    return device().keep(cudaErrorStreamCaptureImplicit);
  }
  stream->capture = event->capture;
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return device().keep(cudaErrorInvalidValue);
  return in_stream(stream, cudaGraphNodeTypeHost, [=] {
    function(data);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (callback == nullptr || flags != 0) return device().keep(cudaErrorInvalidValue);
  return in_stream(stream, cudaGraphNodeTypeHost, [=] {
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  constexpr unsigned kKnown =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~kKnown) != 0) return device().keep(cudaErrorInvalidValue);
  CUevent_st made;
  made.timing = (flags & cudaEventDisableTiming) == 0;
  *event = device().host().events.create(made);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return device().keep(device().host().events.destroy(event) ? cudaSuccess
                                                             : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!exists(event) || !exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  event->capture = captured_by(stream);
  event->recorded = event->capture == nullptr;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
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
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   const cudaStreamAttrValue* value) {
  if (!exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  if (value == nullptr) return device().keep(cudaErrorInvalidValue);
  attributes_of(stream)[id] = *value;
  return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   cudaStreamAttrValue* value) {
  if (!exists(stream)) return device().keep(cudaErrorInvalidResourceHandle);
  if (value == nullptr) return device().keep(cudaErrorInvalidValue);
  *value = attributes_of(stream)[id];
  return cudaSuccess;
}
