// SPDX-License-Identifier: Apache-2.0
// Memory and copies of the CUDA runtime API, answered by the emulated device.
#include <cstring>

#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/memory_api.h"

namespace {

using warpgauge::emulator::device;
using warpgauge::emulator::DeviceMemory;

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
  const bool freed = !device().pinned().contains(pointer) && device().memory().release(pointer);
  return device().keep(freed ? cudaSuccess : cudaErrorInvalidValue);
}

// Host writes to it are not seen.
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return device().keep(cudaErrorInvalidValue);
  }
  return allocate(pointer, bytes, DeviceMemory::Content::written);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }

// Kernels may use it like device memory, so it is device memory. Host writes to it are not seen.
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  const cudaError_t error = allocate(pointer, bytes, DeviceMemory::Content::written);
  if (error == cudaSuccess && *pointer != nullptr) device().pinned().insert(*pointer);
  return error;
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  const bool freed = device().pinned().erase(pointer) > 0 && device().memory().release(pointer);
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
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}

cudaError_t cudaMemset(void* pointer, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  if (!on_device(pointer, bytes)) return device().keep(cudaErrorInvalidValue);
  std::memset(pointer, value, bytes);
  device().memory().note_written(pointer, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* pointer, int value, std::size_t bytes, cudaStream_t) {
  return cudaMemset(pointer, value, bytes);
}

namespace warpgauge_emulator {
namespace {

// The error of a copy of a part of the symbol, if any.
cudaError_t check(Symbol symbol, std::size_t bytes, std::size_t offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(symbol.address);
  if (!device().memory().holds_variable(address, symbol.bytes)) return cudaErrorInvalidSymbol;
  return offset > symbol.bytes || bytes > symbol.bytes - offset ? cudaErrorInvalidValue
                                                                : cudaSuccess;
}

char* at(Symbol symbol, std::size_t offset) {
  return static_cast<char*>(const_cast<void*>(symbol.address)) + offset;
}

}  // namespace

cudaError_t copy_to_symbol(Symbol symbol, const void* from, std::size_t bytes, std::size_t offset,
                           cudaMemcpyKind kind) {
  const cudaError_t error = check(symbol, bytes, offset);
  if (error != cudaSuccess) return device().keep(error);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  return cudaMemcpy(at(symbol, offset), from, bytes, kind);
}

cudaError_t copy_from_symbol(void* to, Symbol symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind) {
  const cudaError_t error = check(symbol, bytes, offset);
  if (error != cudaSuccess) return device().keep(error);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  return cudaMemcpy(to, at(symbol, offset), bytes, kind);
}

}  // namespace warpgauge_emulator
