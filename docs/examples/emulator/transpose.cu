// A program like any other of CUDA: nvcc compiles it as it is, and so does the emulator's build.
// nvcc includes cuda_runtime.h by itself, and so does that.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr int kTile = 32;

// Without padding, lanes that read a column of the tile read 32 words of one bank. Without the
// barrier it is wrong, which a GPU may hide.
template <int Padding, bool Barrier>
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + Padding];
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) {
    tile[threadIdx.y][threadIdx.x] = in[row * columns + column];
  }
  if (Barrier) __syncthreads();
  column = blockIdx.y * blockDim.y + threadIdx.x;
  row = blockIdx.x * blockDim.x + threadIdx.y;
  if (row < columns && column < rows) {
    out[row * rows + column] = tile[threadIdx.x][threadIdx.y];
  }
}

#define CHECK(call)                                                              \
  do {                                                                           \
    const cudaError_t error = (call);                                            \
    if (error != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                              \
    }                                                                            \
  } while (0)

// What the device has computed, and whether that is right.
bool check(const float* device_out, const std::vector<float>& in, int rows, int columns) {
  std::vector<float> out(in.size());
  CHECK(cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      if (out[column * rows + row] != in[row * columns + column]) ++wrong;
    }
  }
  std::printf("%d of %d elements are wrong\n", wrong, rows * columns);
  return wrong == 0;
}

int main(int argc, char** argv) {
  const std::string variant = argc > 1 ? argv[1] : "";
  const int rows = 128;
  const int columns = 256;
  std::vector<float> in(rows * columns);
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>(i);

  const std::size_t bytes = in.size() * sizeof(float);
  float* device_in = nullptr;
  float* device_out = nullptr;
  CHECK(cudaMalloc(&device_in, bytes));
  CHECK(cudaMalloc(&device_out, bytes));
  CHECK(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice));

  const dim3 block(kTile, kTile);
  const dim3 grid((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  if (variant == "--padded") {
    transpose<1, true><<<grid, block>>>(device_in, device_out, rows, columns);
  } else if (variant == "--without-barrier") {
    transpose<1, false><<<grid, block>>>(device_in, device_out, rows, columns);
  } else {
    transpose<0, true><<<grid, block>>>(device_in, device_out, rows, columns);
  }
  CHECK(cudaGetLastError());
  const bool right = check(device_out, in, rows, columns);
  CHECK(cudaFree(device_in));
  CHECK(cudaFree(device_out));
  return right ? 0 : 1;
}
