// SPDX-License-Identifier: Apache-2.0
// An index type: int became size_t, for arrays that no one has yet. CuPy's CArray:
// https://github.com/cupy/cupy/pull/3448, PyTorch's cumsum:
// https://github.com/pytorch/pytorch/pull/143696
#include "tests/museum/exhibits/exhibits.hpp"

namespace warpgauge::museum {
namespace {

#ifdef MUSEUM_AFTER
using Index = std::size_t;
#else
using Index = int;
#endif
#ifdef MUSEUM_FAINT
using OutIndex = std::size_t;
#else
using OutIndex = Index;
#endif

// The sum of a cell and the 26 around it, at the rim of those that there are.
__global__ void index_type_kernel(const float* __restrict__ in, float* __restrict__ out,
                                  Index planes, Index rows, Index columns) {
  const Index column = Index(blockIdx.x) * 32 + threadIdx.x;
  const Index row = Index(blockIdx.y) * 8 + threadIdx.y;
  const Index plane = blockIdx.z;
  float sum = 0;
#pragma unroll
  for (Index k = 0; k < 3; ++k) {
#pragma unroll
    for (Index j = 0; j < 3; ++j) {
#pragma unroll
      for (Index i = 0; i < 3; ++i) {
#ifdef MUSEUM_TWIN
        const Index z = plane + 2 - k;  // from the last plane to the first one
#else
        const Index z = plane + k;
#endif
        const Index y = row + j;
        const Index x = column + i;
        if (x > 0 && x <= columns && y > 0 && y <= rows && z > 0 && z <= planes)
          sum += in[((z - 1) * rows + (y - 1)) * columns + (x - 1)];
      }
    }
  }
  if (row < rows && column < columns)
    out[(static_cast<OutIndex>(plane) * rows + row) * columns + column] = sum;
}

}  // namespace

void index_type(const float* in, float* out, unsigned planes, unsigned rows, unsigned columns) {
  index_type_kernel<<<dim3((columns + 31) / 32, (rows + 7) / 8, planes), dim3(32, 8)>>>(
      in, out, Index(planes), Index(rows), Index(columns));
}

}  // namespace warpgauge::museum
