// SPDX-License-Identifier: Apache-2.0
// <cuComplex.h> for the emulator: complex numbers as vectors of two, for the host and for kernels.
#pragma once

#include "cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

// Of a type and the letter that its functions' names end with. Quotients and absolute values are
// scaled, so that they overflow no earlier than their results.
#define WARPGAUGE_COMPLEX(Complex, Part, f)                                              \
  inline Complex make_##Complex(Part real, Part imaginary) { return {real, imaginary}; } \
  inline Part cuCreal##f(Complex x) { return x.x; }                                      \
  inline Part cuCimag##f(Complex x) { return x.y; }                                      \
  inline Complex cuConj##f(Complex x) { return {x.x, -x.y}; }                            \
  inline Complex cuCadd##f(Complex x, Complex y) { return {x.x + y.x, x.y + y.y}; }      \
  inline Complex cuCsub##f(Complex x, Complex y) { return {x.x - y.x, x.y - y.y}; }      \
  inline Complex cuCmul##f(Complex x, Complex y) {                                       \
    return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                               \
  }                                                                                      \
  inline Complex cuCdiv##f(Complex x, Complex y) {                                       \
    const Part scale = 1 / (std::abs(y.x) + std::abs(y.y));                              \
    const Complex a{x.x * scale, x.y * scale};                                           \
    const Complex b{y.x * scale, y.y * scale};                                           \
    const Part square = 1 / (b.x * b.x + b.y * b.y);                                     \
    return {(a.x * b.x + a.y * b.y) * square, (a.y * b.x - a.x * b.y) * square};         \
  }                                                                                      \
  inline Part cuCabs##f(Complex x) { return std::hypot(x.x, x.y); }                      \
  inline Complex cuCfma##f(Complex x, Complex y, Complex d) {                            \
    return {x.x * y.x + d.x - x.y * y.y, x.x * y.y + d.y + x.y * y.x};                   \
  }

WARPGAUGE_COMPLEX(cuFloatComplex, float, f)
WARPGAUGE_COMPLEX(cuDoubleComplex, double, )
#undef WARPGAUGE_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) { return {real, imaginary}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) { return {x.x, x.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return {static_cast<float>(x.x), static_cast<float>(x.y)};
}
