// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

__global__ void reverse(const int* in, int* out, int length) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  out[threadIdx.x] = scaled(tile[length - 1 - threadIdx.x]);
#endif
}
