// SPDX-License-Identifier: Apache-2.0
// CUDA's qualifiers for the host compiler.
#pragma once

#define __global__
#define __host__
#define __device__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
// Defined, and yet itself in the standard library's __attribute__((__noinline__)). What is left of
// it outside of an attribute the compiler of kernels makes one (compile/qualifiers.hpp).
#ifdef __clang__
#include <memory>
#include <string>
#define __noinline__ __attribute__((noinline))
#else
#define __noinline__ __noinline__
#endif
#define __launch_bounds__(...)
#ifdef __clang__
#define __cluster_dims__(...)  // elsewhere compile/cluster_dims.hpp
#endif
#define __grid_constant__
#define __restrict__ __restrict
#define __align__(bytes) __attribute__((aligned(bytes)))

// A block runs on one host thread, so shared variables are thread-local. In a
// function `thread_local` implies `static`; after `extern` it stands for dynamic shared memory,
// which the link maps onto the emulator's buffer. Each variable begins at bank 0, so that bank
// conflicts do not depend on which other variables the program has.
#define __shared__ thread_local __constinit __attribute__((aligned(128)))

// In a separate section, so that reading it does not count as global traffic. g++ puts no template
// into one: its symbol has a visibility that nothing else has.
#define __constant__ __attribute__((section("warpgauge_constant"), visibility("internal")))

namespace warpgauge_emulator {

// What alignas(...) says behind __shared__ (compile/qualifiers.hpp), of a type or of bytes.
template <class T>
constexpr unsigned long alignment() {
  return alignof(T);
}
template <unsigned long Bytes>
constexpr unsigned long alignment() {
  return Bytes;
}

}  // namespace warpgauge_emulator
