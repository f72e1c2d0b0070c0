// SPDX-License-Identifier: Apache-2.0
// Memory and copies of the CUDA runtime API, answered by the emulated device.
#include <cstring>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/device_api.h"
#include "profiling/emulator/include/warpgauge_emulator/host_api/memory_api.h"

namespace {

using warpgauge::emulator::add_allocation;
using warpgauge::emulator::captured_by;
using warpgauge::emulator::device;
using warpgauge::emulator::DeviceMemory;
using warpgauge::emulator::free_graph_memory;
using warpgauge::emulator::in_stream;

// Whether all of the range is device memory, as a copy on that side needs.
bool on_device(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return device().memory().find_allocation(address, bytes) != nullptr ||
         device().memory().holds_variable(address, bytes);
}

bool was_freed(const void* pointer) {
  return device().memory().was_freed(reinterpret_cast<std::uintptr_t>(pointer));
}

cudaError_t allocate(void** pointer, std::size_t bytes, DeviceMemory::Content content) {
  if (pointer == nullptr) return device().keep(cudaErrorInvalidValue);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  *pointer = device().memory().allocate(bytes, content);
  return device().keep(*pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, DeviceMemory::Content::unwritten);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (const auto error = free_graph_memory(pointer)) return device().keep(*error);
  device().host().managed.erase(pointer);
  const bool freed =
      !device().host().pinned.contains(pointer) && device().memory().release(pointer);
  return device().keep(freed ? cudaSuccess : cudaErrorInvalidValue);
}

// Host writes to it are not seen.
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return device().keep(cudaErrorInvalidValue);
  }
  const cudaError_t error = allocate(pointer, bytes, DeviceMemory::Content::written);
  if (error == cudaSuccess) device().host().managed.insert(*pointer);
  return error;
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  CUgraph_st* graph = captured_by(stream);
  return graph == nullptr ? cudaMalloc(pointer, bytes) : add_allocation(*graph, bytes, pointer);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemFree, [=] { return cudaFree(pointer); });
}

// Kernels may use it like device memory, so it is device memory. Host writes to it are not seen.
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes, unsigned) {
  const cudaError_t error = allocate(pointer, bytes, DeviceMemory::Content::written);
  if (error == cudaSuccess && *pointer != nullptr) device().host().pinned.insert(*pointer);
  return error;
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const bool freed =
      device().host().pinned.erase(pointer) > 0 && device().memory().release(pointer);
  return device().keep(freed ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (free_bytes == nullptr || total_bytes == nullptr) return device().keep(cudaErrorInvalidValue);
  *free_bytes = device().memory().free_bytes();
  *total_bytes = device().memory().total_bytes();
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  if (bytes == 0) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to == nullptr || from == nullptr || was_freed(to) || was_freed(from) ||
      (to_device && !on_device(to, bytes)) || (from_device && !on_device(from, bytes))) {
    return device().keep(cudaErrorInvalidValue);
  }
  std::memmove(to, from, bytes);
  device().memory().note_written(to, bytes);
  return device().synchronize();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemcpy,
                   [=] { return cudaMemcpy(to, from, bytes, kind); });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return device().keep(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!on_device(pointer, bytes)) return device().keep(cudaErrorInvalidValue);
  std::memset(pointer, value, bytes);
  device().memory().note_written(pointer, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t stream) {
  return in_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return cudaMemset(pointer, value, bytes); });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  if (pointer == nullptr || bytes == 0) return device().keep(cudaErrorInvalidValue);
  if (!device().memory().adopt(pointer, bytes)) {
    return device().keep(cudaErrorHostMemoryAlreadyRegistered);
  }
  device().host().registered[pointer] = flags;
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  if (!device().memory().disown(pointer)) {
    return device().keep(cudaErrorHostMemoryNotRegistered);
  }
  device().host().registered.erase(pointer);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags) {
  if (device_pointer == nullptr || flags != 0 || !on_device(pointer, 1)) {
    return device().keep(cudaErrorInvalidValue);
  }
  *device_pointer = pointer;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  const auto found = device().host().registered.find(pointer);
  const bool pinned = device().host().pinned.contains(pointer);
  if (flags == nullptr || (!pinned && found == device().host().registered.end())) {
    return device().keep(cudaErrorInvalidValue);
  }
  *flags = pinned ? cudaHostAllocMapped : found->second;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return device().keep(cudaErrorInvalidValue);
  const auto* range =
      device().memory().find_allocation(reinterpret_cast<std::uintptr_t>(pointer), 1);
  void* same = const_cast<void*>(pointer);
  if (range == nullptr) {
    *attributes = {cudaMemoryTypeUnregistered, -1, nullptr, same};
    return cudaSuccess;
  }
  void* begin = reinterpret_cast<void*>(range->begin);
  const auto& host = device().host();
  if (host.pinned.contains(begin) || host.registered.contains(begin)) {
    *attributes = {cudaMemoryTypeHost, 0, same, same};
  } else if (host.managed.contains(begin)) {
    *attributes = {cudaMemoryTypeManaged, 0, same, same};
  } else {
    *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
  }
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int ordinal,
                                 cudaStream_t) {
  if (!on_device(pointer, bytes)) return device().keep(cudaErrorInvalidValue);
  return ordinal == 0 || ordinal == cudaCpuDeviceId ? cudaSuccess
                                                    : device().keep(cudaErrorInvalidDevice);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned, cudaStream_t stream) {
  const bool host = location.type != cudaMemLocationTypeDevice;
  return cudaMemPrefetchAsync(pointer, bytes, host ? cudaCpuDeviceId : location.id, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise, int) {
  return device().keep(on_device(pointer, bytes) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return cudaMemAdvise(pointer, bytes, advice, location.id);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned) {
  return device().keep(on_device(pointer, 1) ? cudaSuccess : cudaErrorInvalidValue);
}
