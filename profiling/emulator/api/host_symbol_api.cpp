// SPDX-License-Identifier: Apache-2.0
// Copies to and from variables of the device, answered by the emulated device.
#include "profiling/emulator/emulated_device.hpp"
#include "profiling/emulator/include/warpgauge_emulator/host_api/symbol_api.h"

using warpgauge::emulator::device;

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
                           cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error = check(symbol, bytes, offset);
  if (error != cudaSuccess) return device().keep(error);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  return cudaMemcpyAsync(at(symbol, offset), from, bytes, kind, stream);
}

cudaError_t copy_from_symbol(void* to, Symbol symbol, std::size_t bytes, std::size_t offset,
                             cudaMemcpyKind kind, cudaStream_t stream) {
  const cudaError_t error = check(symbol, bytes, offset);
  if (error != cudaSuccess) return device().keep(error);
  if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice) {
    return device().keep(cudaErrorInvalidMemcpyDirection);
  }
  return cudaMemcpyAsync(to, at(symbol, offset), bytes, kind, stream);
}

cudaError_t find_symbol(void** address, Symbol symbol) {
  if (address == nullptr) return device().keep(cudaErrorInvalidValue);
  const cudaError_t error = check(symbol, 0, 0);
  if (error == cudaSuccess) *address = at(symbol, 0);
  return device().keep(error);
}

}  // namespace warpgauge_emulator
