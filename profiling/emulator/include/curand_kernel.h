// SPDX-License-Identifier: Apache-2.0
// cuRAND's random numbers in kernels, for the emulator. All generators are Philox4x32-10: the
// distributions are theirs, the numbers are others than the library's, and a state has another
// size. Quasi-random states and MTGP32's are missing.
#pragma once

#define CURAND_KERNEL_H_

#include "curand.h"
#include "warpgauge_emulator/math/philox.h"

namespace warpgauge_emulator {

// Of one thread. Each member is written by curand_init().
template <int Generator>
struct RandomState {
  unsigned long long seed;
  unsigned long long sequence;
  unsigned long long place;
  double spare_double;  // of a pair of normal numbers
  float spare;
  unsigned spares;  // 1: spare, 2: spare_double
};

}  // namespace warpgauge_emulator

using curandStateXORWOW_t = warpgauge_emulator::RandomState<CURAND_RNG_PSEUDO_XORWOW>;
using curandStateXORWOW = curandStateXORWOW_t;
using curandState_t = curandStateXORWOW_t;
using curandState = curandStateXORWOW_t;
using curandStateMRG32k3a_t = warpgauge_emulator::RandomState<CURAND_RNG_PSEUDO_MRG32K3A>;
using curandStateMRG32k3a = curandStateMRG32k3a_t;
using curandStatePhilox4_32_10_t = warpgauge_emulator::RandomState<CURAND_RNG_PSEUDO_PHILOX4_32_10>;
using curandStatePhilox4_32_10 = curandStatePhilox4_32_10_t;

template <int G>
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence,
                                   unsigned long long offset,
                                   warpgauge_emulator::RandomState<G>* state) {
  *state = {seed, sequence, offset, 0, 0, 0};
}

template <int G>
__device__ inline void skipahead(unsigned long long count,
                                 warpgauge_emulator::RandomState<G>* state) {
  state->place += count;
  state->spares = 0;
}
template <int G>
__device__ inline void skipahead_sequence(unsigned long long count,
                                          warpgauge_emulator::RandomState<G>* state) {
  state->sequence += count;
  state->spares = 0;
}

template <int G>
__device__ inline unsigned curand(warpgauge_emulator::RandomState<G>* state) {
  return warpgauge_emulator::random_word(state->seed, state->sequence, state->place++);
}
template <int G>
__device__ inline uint4 curand4(warpgauge_emulator::RandomState<G>* state) {
  const unsigned x = curand(state);
  const unsigned y = curand(state);
  const unsigned z = curand(state);
  return {x, y, z, curand(state)};
}

template <int G>
__device__ inline float curand_uniform(warpgauge_emulator::RandomState<G>* state) {
  return warpgauge_emulator::uniform_of(curand(state));
}
template <int G>
__device__ inline float4 curand_uniform4(warpgauge_emulator::RandomState<G>* state) {
  const uint4 words = curand4(state);
  return {warpgauge_emulator::uniform_of(words.x), warpgauge_emulator::uniform_of(words.y),
          warpgauge_emulator::uniform_of(words.z), warpgauge_emulator::uniform_of(words.w)};
}
template <int G>
__device__ inline double curand_uniform_double(warpgauge_emulator::RandomState<G>* state) {
  const unsigned low = curand(state);
  return warpgauge_emulator::uniform_of(low, curand(state));
}
template <int G>
__device__ inline double2 curand_uniform2_double(warpgauge_emulator::RandomState<G>* state) {
  const double x = curand_uniform_double(state);
  return {x, curand_uniform_double(state)};
}

template <int G>
__device__ inline float2 curand_normal2(warpgauge_emulator::RandomState<G>* state) {
  const float uniform = curand_uniform(state);
  const auto pair = warpgauge_emulator::normal_of(uniform, curand_uniform(state));
  return {pair.first, pair.second};
}
template <int G>
__device__ inline double2 curand_normal2_double(warpgauge_emulator::RandomState<G>* state) {
  const double uniform = curand_uniform_double(state);
  const auto pair = warpgauge_emulator::normal_of(uniform, curand_uniform_double(state));
  return {pair.first, pair.second};
}
template <int G>
__device__ inline float4 curand_normal4(warpgauge_emulator::RandomState<G>* state) {
  const float2 first = curand_normal2(state);
  const float2 second = curand_normal2(state);
  return {first.x, first.y, second.x, second.y};
}
// They come in pairs: every other call gives the second of one.
template <int G>
__device__ inline float curand_normal(warpgauge_emulator::RandomState<G>* state) {
  state->spares ^= 1;
  if ((state->spares & 1) == 0) return state->spare;
  const float2 pair = curand_normal2(state);
  state->spare = pair.y;
  return pair.x;
}
template <int G>
__device__ inline double curand_normal_double(warpgauge_emulator::RandomState<G>* state) {
  state->spares ^= 2;
  if ((state->spares & 2) == 0) return state->spare_double;
  const double2 pair = curand_normal2_double(state);
  state->spare_double = pair.y;
  return pair.x;
}
template <int G>
__device__ inline float curand_log_normal(warpgauge_emulator::RandomState<G>* state, float mean,
                                          float deviation) {
  return expf(mean + deviation * curand_normal(state));
}
template <int G>
__device__ inline double curand_log_normal_double(warpgauge_emulator::RandomState<G>* state,
                                                  double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(state));
}
template <int G>
__device__ inline unsigned curand_poisson(warpgauge_emulator::RandomState<G>* state, double mean) {
  return warpgauge_emulator::poisson_of(mean, [state] { return curand_uniform_double(state); });
}
