// SPDX-License-Identifier: Apache-2.0
// Kernels of kernels/*.cuh in OpenCL, access for access.

#define TILE 32
#define ROWS 8

// transpose_tiled<PADDING> of kernels/transpose.cuh.
void transpose_tile(__global const float* in, __global float* out, ulong rows, ulong columns,
                    __local float* tile, int width) {
  const ulong tiles_across = (columns + TILE - 1) / TILE;
  const ulong tile_column = get_group_id(0) % tiles_across * TILE;
  const ulong tile_row = get_group_id(0) / tiles_across * TILE;
  const int x = get_local_id(0);

  for (int j = get_local_id(1); j < TILE; j += ROWS) {
    const ulong row = tile_row + j;
    const ulong column = tile_column + x;
    if (row < rows && column < columns) tile[j * width + x] = in[row * columns + column];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int j = get_local_id(1); j < TILE; j += ROWS) {
    const ulong row = tile_column + j;
    const ulong column = tile_row + x;
    if (row < columns && column < rows) out[row * rows + column] = tile[x * width + j];
  }
}

__kernel void transpose_shared(__global const float* in, __global float* out, ulong rows,
                               ulong columns) {
  __local float tile[TILE * TILE];
  transpose_tile(in, out, rows, columns, tile, TILE);
}

__kernel void transpose_padded(__global const float* in, __global float* out, ulong rows,
                               ulong columns) {
  __local float tile[TILE * (TILE + 1)];
  transpose_tile(in, out, rows, columns, tile, TILE + 1);
}

// reduce_sequential of kernels/reduction.cuh.
#define REDUCTION_BLOCK 256
__kernel void reduce_sequential(__global const float* in, __global float* partial, ulong n) {
  __local float sums[REDUCTION_BLOCK];
  const uint thread = get_local_id(0);
  const ulong i = get_group_id(0) * (ulong)REDUCTION_BLOCK + thread;
  sums[thread] = i < n ? in[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = REDUCTION_BLOCK / 2; step > 0; step /= 2) {
    if (thread < step) sums[thread] += sums[thread + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (thread == 0) partial[get_group_id(0)] = sums[0];
}

// matmul_tiled<32> of kernels/matmul.cuh.
__kernel void matmul_tiled(__global const float* a, __global const float* b, __global float* c,
                           ulong m, ulong n, ulong k) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  const ulong tiles_across = (n + TILE - 1) / TILE;
  const int x = get_local_id(0);
  const int y = get_local_id(1);
  const ulong row = get_group_id(0) / tiles_across * TILE + y;
  const ulong column = get_group_id(0) % tiles_across * TILE + x;
  float sum = 0;
  for (ulong first = 0; first < k; first += TILE) {
    const ulong column_a = first + x;
    const ulong row_b = first + y;
    tile_a[y][x] = row < m && column_a < k ? a[row * k + column_a] : 0;
    tile_b[y][x] = row_b < k && column < n ? b[row_b * n + column] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) sum += tile_a[y][i] * tile_b[i][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
