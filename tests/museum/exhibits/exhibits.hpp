// SPDX-License-Identifier: Apache-2.0
// The museum's exhibits: known kinds of regressions of GPU kernels, re-enacted in kernels of our
// own. Each file here holds one kernel as it was before, MUSEUM_AFTER with what made it slower, and
// MUSEUM_TWIN with a change to its machine code alone. What it computes is the same in all three.
#pragma once

#include <cstddef>

namespace warpgauge::museum {

// Each enqueues its kernel once on the default stream. Sizes are those that museum.cu takes.
void vector_loads(const unsigned char* in, unsigned char* out, std::size_t n);
void spills(const float* in, float* out, unsigned columns);
void position(const float* in, float* out, unsigned rows, unsigned columns, unsigned tile);
void index_type(const float* in, float* out, unsigned planes, unsigned rows, unsigned columns);
void occupancy(const unsigned* in, unsigned* out, unsigned n, unsigned mode);
void padding(const float* in, float* out, unsigned n);
void barrier(const float* in, float* out, unsigned columns);
void flag(const float* in, float* out, unsigned n);
void aliasing(const float* in, const float* weights, float* out, unsigned n);
void divergence(const float* in, float* out, unsigned n);
void atomics(const float* in, float* out, unsigned n);
void literal(const float* in, float* out, unsigned n);
void compare_and_swap(const unsigned* in, float* out, unsigned n);

inline constexpr unsigned kSpillRows = 64;
inline constexpr unsigned kBarrierSteps = 64;
inline constexpr unsigned kWeights = 8;
inline constexpr unsigned kTerms = 48;  // of the polynomials
inline constexpr unsigned kHops = 256;
inline constexpr unsigned kTable = 2048;
inline constexpr unsigned kSums = 16;
inline constexpr unsigned kBins = 4096;

}  // namespace warpgauge::museum
