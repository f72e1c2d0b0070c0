// SPDX-License-Identifier: Apache-2.0
// The part of the CUDA runtime API that host code around kernels needs: launches and errors; see
// also memory_api.h, stream_api.h and device_api.h. Everything is synchronous: a launch returns
// when its kernel has run, and streams make no difference.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../vector_types.h"
#include "error_codes.h"

// CUDA's own values.
enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

using cudaStream_t = struct CUstream_st*;

enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2,
};

// What stays in a cache, which the emulator has not.
struct cudaAccessPolicyWindow {
  void* base_ptr;
  std::size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp;
  cudaAccessProperty missProp;
};

enum cudaSynchronizationPolicy {
  cudaSyncPolicyAuto = 1,
  cudaSyncPolicySpin = 2,
  cudaSyncPolicyYield = 3,
  cudaSyncPolicyBlockingSync = 4,
};

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeSynchronizationPolicy = 3,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributePriority = 8,
};

union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  cudaSynchronizationPolicy syncPolicy;
  struct {
    unsigned int x;
    unsigned int y;
    unsigned int z;
  } clusterDim;
  int priority;
};

struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[8 - sizeof(cudaLaunchAttributeID)];
  cudaLaunchAttributeValue val;
};

struct cudaLaunchConfig_t {
  dim3 gridDim;
  dim3 blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned int numAttrs;
};

cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int* device);

namespace warpgauge_emulator {

// A kernel with its arguments, type-erased.
struct KernelCall {
  const void* kernel;
  void (*invoke)(const void* arguments);
  const void* arguments;
  std::size_t arguments_bytes;
  const char* name = nullptr;  // null: that of the function at `kernel`
};

cudaError_t launch(const cudaLaunchConfig_t* config, const KernelCall& call);

template <class... Parameters>
struct KernelArguments {
  void (*kernel)(Parameters...);
  std::tuple<Parameters...> values;

  cudaError_t launch_by(const cudaLaunchConfig_t* config) const {
    return launch(config,
                  {reinterpret_cast<const void*>(kernel), &invoke, this, sizeof *this, nullptr});
  }

  __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage)) static void invoke(
      const void* self) {
    expand(*static_cast<const KernelArguments*>(self), std::index_sequence_for<Parameters...>{});
  }

 private:
  template <std::size_t... I>
  __attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) static void expand(
      const KernelArguments& self, std::index_sequence<I...>) {
    self.kernel(std::get<I>(self.values)...);
  }
};

}  // namespace warpgauge_emulator

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const ::warpgauge_emulator::KernelArguments<Parameters...> call{
      kernel,
      std::tuple<Parameters...>(static_cast<Parameters>(std::forward<Arguments>(arguments))...)};
  return call.launch_by(config);
}
