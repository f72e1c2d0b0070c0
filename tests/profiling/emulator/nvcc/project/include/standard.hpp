// SPDX-License-Identifier: Apache-2.0
// An attribute in the words of the standard library of g++ 13, behind what defines CUDA's
// __noinline__.
#pragma once

template <class Number>
struct Halves {
  __attribute__((__noinline__)) explicit Halves(Number whole) : half(whole / 2) {}
  [[__gnu__::__noinline__]] Number twice() const { return half * 2; }
  __attribute__((__unused__, __noinline__)) static Number none() { return 0; }
  Number half;
};
