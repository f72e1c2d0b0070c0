// SPDX-License-Identifier: Apache-2.0
// Kernels that copy to shared memory asynchronously. Tests find lines by the words in their
// comments.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

// Two tiles in turn: one is summed up while the next one is on its way.
__global__ void sum_in_two_stages(const float* in, float* out, int tiles) {
  __shared__ float stages[2][64];
  const int thread = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(&stages[0][thread], &in[thread], 4);  // stages: first
  __pipeline_commit();
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(&stages[(tile + 1) % 2][thread], &in[(tile + 1) * 64 + thread], 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += stages[tile % 2][63 - thread];
    __syncthreads();
  }
  out[thread] = sum;
}

// The last vector has but `tail` bytes; the rest is filled with zeros.
__global__ void copy_with_tail(const float4* in, float4* out, int vectors, int tail) {
  __shared__ float4 words[32];
  const int thread = static_cast<int>(threadIdx.x);
  const int bytes = thread + 1 < vectors ? 16 : thread + 1 == vectors ? tail : 0;
  __pipeline_memcpy_async(&words[thread], &in[thread], 16, 16 - bytes);  // tail: copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[thread] = words[thread];
}

__global__ void read_without_wait(const float* in, float* out) {
  __shared__ float words[32];
  __pipeline_memcpy_async(&words[threadIdx.x], &in[threadIdx.x], 4);  // no wait: copy
  __pipeline_commit();
  out[threadIdx.x] = words[threadIdx.x];  // no wait: read
  __pipeline_wait_prior(0);
}

// A barrier is no wait.
__global__ void read_after_barrier_only(const float* in, float* out) {
  __shared__ float words[64];
  __pipeline_memcpy_async(&words[threadIdx.x], &in[threadIdx.x], 4);  // barrier only: copy
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = words[63 - threadIdx.x];  // barrier only: read
}

__global__ void wait_for_too_few(const float* in, float* out) {
  __shared__ float words[2][32];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&words[i][threadIdx.x], &in[threadIdx.x], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  out[threadIdx.x] = words[0][threadIdx.x];
  out[threadIdx.x] = words[1][threadIdx.x];  // too few: read
}

__global__ void wait_without_commit(const float* in, float* out) {
  __shared__ float words[32];
  __pipeline_memcpy_async(&words[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_wait_prior(0);
  out[threadIdx.x] = words[threadIdx.x];  // no commit: read
}

__global__ void overwrite_before_wait(const float* in, float* out) {
  __shared__ float words[32];
  __pipeline_memcpy_async(&words[threadIdx.x], &in[threadIdx.x], 4);
  words[threadIdx.x] = 1;  // overwrite: write
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = words[threadIdx.x];
}

__global__ void copy_of_any_size(const char* in, char* out, unsigned bytes, unsigned skip) {
  __shared__ float4 words[2];
  __pipeline_memcpy_async(&words[0], in + skip, bytes);  // any size: copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[0] = reinterpret_cast<char*>(words)[0];
}

__global__ void copy_to_global(const float* in, float* out) {
  __pipeline_memcpy_async(&out[threadIdx.x], &in[threadIdx.x], 4);  // to global: copy
  __pipeline_commit();
  __pipeline_wait_prior(0);
}
