// SPDX-License-Identifier: Apache-2.0
// Copies to and from __device__ and __constant__ variables.
#pragma once

#include "memory_api.h"

namespace warpgauge_emulator {

// A __device__ or __constant__ variable.
struct Symbol {
  const void* address;
  std::size_t bytes;
};

cudaError_t copy_to_symbol(Symbol symbol, const void* from, std::size_t bytes, std::size_t offset,
                           cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t copy_from_symbol(void* to, Symbol symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t find_symbol(void** address, Symbol symbol);

}  // namespace warpgauge_emulator

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::warpgauge_emulator::copy_to_symbol({&symbol, sizeof symbol}, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::warpgauge_emulator::copy_from_symbol(to, {&symbol, sizeof symbol}, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, std::size_t bytes,
                                    std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return ::warpgauge_emulator::copy_to_symbol({&symbol, sizeof symbol}, from, bytes, offset, kind,
                                              stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes,
                                      std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return ::warpgauge_emulator::copy_from_symbol(to, {&symbol, sizeof symbol}, bytes, offset, kind,
                                                stream);
}
template <class Pointer, class T>
cudaError_t cudaGetSymbolAddress(Pointer** address, const T& symbol) {
  return ::warpgauge_emulator::find_symbol(
      reinterpret_cast<void**>(const_cast<std::remove_const_t<Pointer>**>(address)),
      {&symbol, sizeof symbol});
}
template <class T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
