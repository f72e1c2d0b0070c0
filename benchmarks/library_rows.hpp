// SPDX-License-Identifier: Apache-2.0
// Helpers for the reference rows: NVIDIA's libraries from the toolkit, with which our variants are
// compared. They run on GPUs only.
#pragma once

#include <cublas_v2.h>

#include <cstddef>
#include <string>

#include "profiling/harness/backend.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge {

// Calls one of CUB's device-wide functions, `call(memory, bytes)`, with the memory that it
// requests.
template <class Call>
void call_cub(DeviceBuffer<unsigned char>& memory, Call&& call) {
  std::size_t bytes = 0;
  require_success(call(nullptr, bytes), "CUB");
  if (memory.size() < bytes) memory = DeviceBuffer<unsigned char>(bytes);
  require_success(call(memory.data(), bytes), "CUB");
}

inline void require_success(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw DeviceError(std::string(call) + " failed: " + cublasGetStatusString(status));
}

// cuBLAS on the default stream, results and factors in device memory. Its default mode multiplies
// floats as floats; it uses TF32 only on request.
// Created on first use, because that takes longer than most benchmarks.
class Cublas {
 public:
  Cublas() = default;
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  ~Cublas() {
    if (handle_ != nullptr) cublasDestroy(handle_);
  }

  [[nodiscard]] cublasHandle_t handle() {
    if (handle_ != nullptr) return handle_;
    require_success(cublasCreate(&handle_), "cublasCreate");
    require_success(cublasSetMathMode(handle_, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
    require_success(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE),
                    "cublasSetPointerMode");
    return handle_;
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace warpgauge
