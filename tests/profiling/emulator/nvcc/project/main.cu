// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "kernels.cuh"

#ifndef __CUDACC__
#error "This is CUDA."
#endif

int main() {
  const int length = 64;
  int in[length], out[length];
  for (int i = 0; i < length; ++i) in[i] = i;
  int *from, *to;
  cudaMalloc((void**)&from, sizeof in);
  cudaMalloc((void**)&to, sizeof out);
  cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
  reverse<<<1, length, sizeof in>>>(from, to, length);
  cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < length; ++i) wrong += out[i] != expected(i, length);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
