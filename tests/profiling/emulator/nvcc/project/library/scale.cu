// SPDX-License-Identifier: Apache-2.0
#include "kernels.cuh"

__device__ int scaled(int value) { return value * FACTOR; }
