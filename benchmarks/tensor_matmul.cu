// SPDX-License-Identifier: Apache-2.0
// On GPUs only: the emulator has no tensor cores.
#ifdef __CUDACC__
#include "kernels/tensor_matmul.cuh"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "benchmarks/library_rows.hpp"
#include "benchmarks/tensor_inputs.hpp"

namespace {

using namespace warpgauge;

class TensorMatmul : public TensorProduct {};

VARIANT(TensorMatmul, plain) { multiply<TensorLayout::plain>(); }
VARIANT(TensorMatmul, padded) { multiply<TensorLayout::padded>(); }
VARIANT(TensorMatmul, swizzled) { multiply<TensorLayout::swizzled>(); }

// cuBLAS stores by columns: the transposed product of the transposed matrices is the same numbers.
class CublasTensorMatmul : public TensorMatmul {
 protected:
  Cublas cublas_;
  DeviceBuffer<float> scales_{std::vector<float>{1, 0}};
};
VARIANT_OF(TensorMatmul, cublas, CublasTensorMatmul) {
  if (m_ == 0 || n_ == 0) return;
  const auto m = static_cast<std::int64_t>(m_);
  const auto n = static_cast<std::int64_t>(n_);
  const auto k = static_cast<std::int64_t>(k_);
  const auto stride = std::max<std::int64_t>(k, 1);
  require_success(cublasGemmEx_64(cublas_.handle(), CUBLAS_OP_T, CUBLAS_OP_N, n, m, k,
                                  scales_.data(), b_.data(), CUDA_R_16BF, stride, a_.data(),
                                  CUDA_R_16BF, stride, scales_.data() + 1, c_.data(), CUDA_R_16BF,
                                  n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                  "cublasGemmEx");
}

SIZES(TensorMatmul, .gpu = {{2048, 2048, 2048}}, .large = {{4096, 4096, 4096}, {8192, 8192, 8192}},
      .tested = {{0, 5, 5},
                 {5, 0, 5},
                 {5, 5, 0},
                 {1, 1, 1},
                 {8, 8, 8},
                 {1, 33, 7},
                 {33, 1, 72},
                 {128, 256, 64},
                 {128, 256, 192},
                 {129, 257, 65},
                 {127, 264, 136},
                 {300, 520, 1000}},
      .huge = {{46349, 46352, 8}})

}  // namespace
#endif
