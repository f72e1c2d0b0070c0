// SPDX-License-Identifier: Apache-2.0
// Also compiled for sm_90a. On GPUs only: the emulator has no tensor cores.
#ifdef __CUDACC__
#include "kernels/warpgroup_matmul.cuh"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benchmarks/tensor_inputs.hpp"

namespace {

using namespace warpgauge;

class WarpgroupMatmul : public TensorProduct {
 protected:
  // What is not for these kernels takes the one that any GPU since 8.0 can run.
  template <int Cluster, bool BulkStore>
  void multiply_by_warpgroups() {
    constexpr std::size_t kMost = 0x7fffffff;
    if (device_attribute(cudaDevAttrComputeCapabilityMajor) != 9 || m_ == 0 || n_ == 0 || k_ == 0 ||
        n_ % 8 != 0 || k_ % 8 != 0 || m_ > kMost || n_ > kMost || k_ > kMost) {
      multiply<TensorLayout::padded>();
      return;
    }
    const auto kernel = warpgroup_matmul<Cluster, BulkStore>;
    constexpr std::size_t kBytes = kWarpgroupSharedBytes<BulkStore>;
    allow_dynamic_shared(kernel, kBytes);
    const std::size_t clusters =
        std::min(parts_of(m_, Cluster * kWarpgroupRows) * parts_of(n_, kWarpgroupColumns),
                 std::size_t(device_attribute(cudaDevAttrMultiProcessorCount) / Cluster));
    launch_with_shared(kernel, static_cast<unsigned>(clusters * Cluster), kWarpgroupThreads, kBytes,
                       map(a_, m_, k_, kWarpgroupRows),
                       map(b_, n_, k_, kWarpgroupColumns / Cluster), map(c_, m_, n_, 64), bf16(c_),
                       m_, n_, k_);
  }

 private:
  // Boxes of `box` rows of 64 elements, swizzled by 128 bytes.
  [[nodiscard]] static CUtensorMap map(const DeviceBuffer<Bits>& matrix, std::size_t rows,
                                       std::size_t columns, unsigned box) {
    void* encode = nullptr;
    cudaDriverEntryPointQueryResult found{};
    require_success(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                                     cudaEnableDefault, &found),
                    "cudaGetDriverEntryPointByVersion");
    if (found != cudaDriverEntryPointSuccess) {
      throw DeviceError("the driver has no cuTensorMapEncodeTiled: it is older than CUDA 12.0");
    }
    const cuuint64_t extents[] = {columns, rows};
    const cuuint64_t strides[] = {columns * sizeof(Bits)};
    const cuuint32_t boxes[] = {64, box};
    const cuuint32_t steps[] = {1, 1};
    CUtensorMap map{};
    const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
        &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix.data(), extents, strides, boxes, steps,
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
      throw DeviceError("cuTensorMapEncodeTiled failed: " + std::to_string(result));
    }
    return map;
  }
};

VARIANT(WarpgroupMatmul, bulk_copies) { multiply_by_warpgroups<1, false>(); }
VARIANT(WarpgroupMatmul, bulk_stores) { multiply_by_warpgroups<1, true>(); }
VARIANT(WarpgroupMatmul, clusters) { multiply_by_warpgroups<2, true>(); }

SIZES(WarpgroupMatmul, .gpu = {{2048, 2048, 2048}},
      .large = {{4096, 4096, 4096}, {8192, 8192, 8192}},
      .tested = {{0, 5, 5},
                 {5, 0, 5},
                 {8, 8, 0},
                 {1, 1, 1},
                 {8, 8, 8},
                 {1, 40, 16},
                 {33, 8, 72},
                 {128, 256, 64},
                 {256, 256, 512},
                 {129, 264, 72},
                 {127, 257, 136},
                 {1000, 1016, 1048},
                 {300, 520, 1000}},
      .huge = {{46349, 46352, 8}})

}  // namespace
#endif
