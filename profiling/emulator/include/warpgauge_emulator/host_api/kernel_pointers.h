// SPDX-License-Identifier: Apache-2.0
// Launches of a kernel whose arguments are given by pointers, and of one that is given as `void*`,
// which does not say how to pass them: the build turns `(void*)kernel` of such a launch into
// KernelCast{}->*kernel, which remembers it (kernel_casts.hpp).
#pragma once

#include "runtime_api.h"

namespace warpgauge_emulator {

// How to launch a kernel with a pointer to each argument.
struct KernelSignature {
  cudaError_t (*launch)(const cudaLaunchConfig_t* config, const void* kernel, void** arguments);
  const std::size_t* sizes;  // of the arguments
  std::size_t count;
};

void remember_kernel(const void* kernel, const KernelSignature& signature);

// Of a kernel that was remembered; nullptr: none.
const KernelSignature* find_signature(const void* kernel);

template <class... Parameters>
struct SignatureOf {
  static constexpr std::size_t kSizes[] = {sizeof(Parameters)..., 0};

  static cudaError_t launch(const cudaLaunchConfig_t* config, const void* kernel,
                            void** arguments) {
    return expand(config, reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel)),
                  arguments, std::index_sequence_for<Parameters...>{});
  }

 private:
  template <std::size_t... I>
  static cudaError_t expand(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                            [[maybe_unused]] void** arguments, std::index_sequence<I...>) {
    return cudaLaunchKernelEx(config, kernel,
                              *static_cast<std::remove_reference_t<Parameters>*>(arguments[I])...);
  }
};

template <class... Parameters>
void* kernel_pointer(void (*kernel)(Parameters...)) {
  using Of = SignatureOf<Parameters...>;
  void* address = reinterpret_cast<void*>(kernel);
  remember_kernel(address, {&Of::launch, Of::kSizes, sizeof...(Parameters)});
  return address;
}
template <class T>
void* kernel_pointer(T* other) {
  return const_cast<void*>(static_cast<const void*>(other));
}

struct KernelCast {
  template <class T>
  void* operator->*(T* kernel) const {
    return kernel_pointer(kernel);
  }
};

}  // namespace warpgauge_emulator

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t dynamic_shared_bytes = 0,
                                        cudaStream_t stream = nullptr);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** arguments);

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr) {
  return cudaLaunchKernel(static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)),
                          grid, block, arguments, dynamic_shared_bytes, stream);
}
template <class... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t dynamic_shared_bytes = 0,
                                        cudaStream_t stream = nullptr) {
  return cudaLaunchCooperativeKernel(
      static_cast<const void*>(::warpgauge_emulator::kernel_pointer(kernel)), grid, block,
      arguments, dynamic_shared_bytes, stream);
}

// CUDA's own table of kernels; here it is the pointer itself.
using cudaFunction_t = const void*;
template <class Kernel>
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, Kernel kernel) {
  *function = ::warpgauge_emulator::kernel_pointer(kernel);
  return cudaSuccess;
}
