// SPDX-License-Identifier: Apache-2.0
#pragma once

// In other files, the last in a library.
__global__ void reverse(const int* in, int* out, int length);
__device__ int scaled(int value);
int expected(int index, int length);
