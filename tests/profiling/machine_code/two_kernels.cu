// SPDX-License-Identifier: Apache-2.0
// Two kernels, small enough to be committed compiled: tests/fuzz/corpus/machine_code, made by
//   nvcc -fatbin -gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_90a,code=sm_90a
//     -gencode=arch=compute_90,code=compute_90 --compress-mode=MODE -Xfatbin -compress-all
// in modes none, default, size (zstd) and speed (lz4); balance gives what default does.
__global__ void add(float* a, const float* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
template <int kTimes>
__global__ void scale(float* a) {
  __shared__ float tile[32];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = kTimes * tile[31 - threadIdx.x];
}
template __global__ void scale<3>(float*);
