// SPDX-License-Identifier: Apache-2.0
// Accesses that are not in the source as a GPU makes them, and what an H200 counts of them: for one
// block of a warp.
#pragma once

#include <cuda_runtime.h>

#include <cmath>

// Each lane adds to a word of its own, or all to one: loads of the sums, and one of the result.
template <class T>
__global__ void add_in_shared(T* out, bool together) {
  __shared__ T sums[32];
  sums[threadIdx.x] = 0;
  __syncwarp();
  atomicAdd(&sums[together ? 0 : threadIdx.x], T{1});
  __syncwarp();
  out[threadIdx.x] = sums[threadIdx.x];
}

struct CountedLoads {
  unsigned requests, wavefronts;
};
// sm_90 adds 32-bit integers in shared memory, and makes a loop of all else.
inline constexpr CountedLoads kLoadsOfInts{1, 1};
inline constexpr CountedLoads kLoadsOfFloats{2, 2}, kLoadsOfFloatsTogether{33, 33};
inline constexpr CountedLoads kLoadsOfDoubles{2, 4}, kLoadsOfDoublesTogether{33, 34};

// Aligned to 8, so that each access of one is two.
struct Number {
  double real, imaginary;
};
struct Labelled {
  int label;
  Number number;
};

// Slot: what they have in shared memory.
template <class Slot>
__global__ void square_numbers(const Labelled* in, Number* out) {
  __shared__ Slot slots[32];
  const auto number = [](Slot& slot) -> Number& {
    if constexpr (sizeof(Slot) == sizeof(Number)) {
      return slot;
    } else {
      return slot.number;
    }
  };
  number(slots[threadIdx.x]) = in[threadIdx.x].number;
  __syncthreads();
  const Number reversed = number(slots[31 - threadIdx.x]);
  out[threadIdx.x] = {reversed.real * reversed.real - reversed.imaginary * reversed.imaginary,
                      2 * reversed.real * reversed.imaginary};
}

// Side by side they are aligned to 16 in shared memory, behind labels they are not.
inline constexpr CountedLoads kLoadsOfNumbers{1, 4}, kLoadsOfLabelledNumbers{2, 4};

enum class Sine { and_cosine, of_pi, with_cosine, of_float, of_constant };

template <Sine What>
__global__ void sines(const double* in, double* out) {
  const double x = in[threadIdx.x];
  double sine = 0;
  double cosine = 0;
  if constexpr (What == Sine::and_cosine) {
    sine = sin(x);
    cosine = std::cos(x);
  } else if constexpr (What == Sine::of_pi) {
    sine = sinpi(x);
  } else if constexpr (What == Sine::with_cosine) {
    sincos(x, &sine, &cosine);
  } else if constexpr (What == Sine::of_constant) {
    sine = x + sin(0.5);
  } else {
    sine = sinf(static_cast<float>(x));
    cosine = cospif(static_cast<float>(x));
  }
  out[threadIdx.x] = sine + cosine;
}

// nvcc 13: three loads of 16 bytes for each sine or cosine of a double, and the load of the angle.
inline constexpr unsigned kLoadsOfSineAndCosine = 7, kLoadsOfSineOfPi = 4,
                          kLoadsOfSinesOtherwise = 1;
