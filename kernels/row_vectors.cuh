// SPDX-License-Identifier: Apache-2.0
// Rows of floats by 16 bytes a thread, of any length. Rows begin on a 16-byte boundary only where
// their length is a multiple of four; otherwise a thread takes its four elements one by one.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Four neighbours of a row from `column` on; what lies beyond its end is `beyond`.
__device__ inline float4 row_load(const float* row, std::size_t column, std::size_t columns,
                                  float beyond) {
  float4 v = make_float4(beyond, beyond, beyond, beyond);
  if (columns % 4 == 0) {
    if (column < columns) v = *reinterpret_cast<const float4*>(row + column);
    return v;
  }
  if (column < columns) v.x = row[column];
  if (column + 1 < columns) v.y = row[column + 1];
  if (column + 2 < columns) v.z = row[column + 2];
  if (column + 3 < columns) v.w = row[column + 3];
  return v;
}

// What lies beyond the row's end is not written.
__device__ inline void row_store(float* row, std::size_t column, std::size_t columns, float4 v) {
  if (columns % 4 == 0) {
    if (column < columns) *reinterpret_cast<float4*>(row + column) = v;
    return;
  }
  if (column < columns) row[column] = v.x;
  if (column + 1 < columns) row[column + 1] = v.y;
  if (column + 2 < columns) row[column + 2] = v.z;
  if (column + 3 < columns) row[column + 3] = v.w;
}
