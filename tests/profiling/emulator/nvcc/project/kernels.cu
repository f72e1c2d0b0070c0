// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

__constant__ const int none[2] = {0, 0};
__constant__ int last[2] = {0, 1};

__global__ void reverse(const int* in, int* out, int length) {
  extern __shared__ int tile[];
  __shared__ alignas(float4) int zero;
  __shared__ alignas(2 * sizeof(float4)) int one;
  if (threadIdx.x == 0) zero = none[blockIdx.x];
  if (threadIdx.x == 0) one = last[blockIdx.x + 1];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
#if __CUDA_ARCH__ >= 900
  out[threadIdx.x] = scaled(tile[length - one - threadIdx.x] + zero);
#endif
}
