// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <nvToolsExt.h>

#include "standard.hpp"

__noinline__ int expected(int index, int length) {
  nvtxRangePushA("expected");
  nvtxRangePop();
  return Halves<int>(2 * (length - 1 - index)).half * FACTOR;
}
