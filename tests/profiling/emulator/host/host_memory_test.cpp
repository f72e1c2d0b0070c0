// SPDX-License-Identifier: Apache-2.0
// Rows and layers of memory, pools, symbols by their address, memory of the host.
#include <cuComplex.h>

#include <numeric>
#include <vector>

#include "tests/profiling/emulator/observe.hpp"

__device__ int answers[4];

namespace warpgauge::emulator {
namespace {

__global__ void add_one(int* words) { words[threadIdx.x] += 1; }

TEST(Memory, MayBeOfConstants) {
  const float* constants = nullptr;
  ASSERT_EQ(cudaMalloc(&constants, sizeof(float)), cudaSuccess);
  EXPECT_NE(constants, nullptr);
  EXPECT_EQ(cudaFree(const_cast<float*>(constants)), cudaSuccess);
}

TEST(Rows, BeginAtAMultipleOf512BytesAndAreCopiedBothWays) {
  char* rows = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&rows, &pitch, 513, 3), cudaSuccess);
  EXPECT_EQ(pitch, 1024U);
  std::vector<char> packed(5 * 3);
  std::iota(packed.begin(), packed.end(), 'a');
  EXPECT_EQ(cudaMemset2D(rows, pitch, 0, 513, 3), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(rows, pitch, packed.data(), 5, 5, 3, cudaMemcpyHostToDevice), cudaSuccess);
  char last = 0;
  EXPECT_EQ(cudaMemcpy(&last, rows + 2 * pitch + 4, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(last, 'o');
  std::vector<char> back(2 * 2);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 2, rows + pitch + 1, pitch, 2, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(std::string(back.begin(), back.end()), "ghlm");
  EXPECT_EQ(cudaMemcpy2D(back.data(), 1, rows, pitch, 2, 2, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(rows, pitch, packed.data(), 5, 5, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue)
      << "a fourth row";
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(rows), cudaSuccess);
}

TEST(Layers, AreCopiedInPart) {
  const cudaExtent extent = make_cudaExtent(8, 3, 2);
  cudaPitchedPtr memory{};
  ASSERT_EQ(cudaMalloc3D(&memory, extent), cudaSuccess);
  EXPECT_EQ(cudaMemset3D(memory, 0, extent), cudaSuccess);
  std::vector<char> all(8 * 3 * 2);
  std::iota(all.begin(), all.end(), 0);
  cudaMemcpy3DParms in{};
  in.srcPtr = make_cudaPitchedPtr(all.data(), 8, 8, 3);
  in.dstPtr = memory;
  in.extent = extent;
  in.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&in), cudaSuccess);
  std::vector<char> part(2 * 2 * 1);
  cudaMemcpy3DParms out{};
  out.srcPtr = memory;
  out.srcPos = make_cudaPos(3, 1, 1);
  out.dstPtr = make_cudaPitchedPtr(part.data(), 2, 2, 2);
  out.extent = make_cudaExtent(2, 2, 1);
  out.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3D(&out), cudaSuccess);
  EXPECT_EQ(part, (std::vector<char>{35, 36, 43, 44}));
  EXPECT_EQ(cudaFree(memory.ptr), cudaSuccess);
}

TEST(Pools, AreOfOneProcess) {
  int types = 1;
  EXPECT_EQ(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0),
            cudaSuccess);
  EXPECT_EQ(types, 0);
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  int handle = 0;
  void* pointer = nullptr;
  cudaMemPoolPtrExportData data{};
  EXPECT_EQ(
      cudaMemPoolExportToShareableHandle(&handle, pool, cudaMemHandleTypePosixFileDescriptor, 0),
      cudaErrorNotSupported);
  EXPECT_EQ(
      cudaMemPoolImportFromShareableHandle(&pool, &handle, cudaMemHandleTypePosixFileDescriptor, 0),
      cudaErrorNotSupported);
  EXPECT_EQ(cudaMemPoolExportPointer(&data, pointer), cudaErrorNotSupported);
  EXPECT_EQ(cudaMemPoolImportPointer(&pointer, pool, &data), cudaErrorNotSupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);

  cudaMemLocation location{};
  location.type = cudaMemLocationTypeDevice;
  cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
  EXPECT_EQ(cudaMemPoolGetAccess(&flags, pool, &location), cudaSuccess);
  EXPECT_EQ(flags, cudaMemAccessFlagsProtReadWrite);
}

TEST(Pools, GiveMemoryThatKernelsUse) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  unsigned long long threshold = 1 << 20;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  threshold = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
            cudaSuccess);
  EXPECT_EQ(threshold, 1ULL << 20);

  cudaMemPoolProps properties{};
  cudaMemPool_t own = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&own, &properties), cudaSuccess);
  int* words = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&words, 128, own, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemsetAsync(words, 0, 128), cudaSuccess);
  EXPECT_EQ(join(run(add_one, dim3(1), dim3(32), words).errors), "");
  EXPECT_EQ(cudaFreeAsync(words, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&words, 128, own, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(SymbolsByAddress, AreTheVariables) {
  int* address = nullptr;
  std::size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress((void**)&address, answers), cudaSuccess);
  EXPECT_EQ(cudaGetSymbolSize(&bytes, answers), cudaSuccess);
  EXPECT_EQ(bytes, sizeof answers);
  EXPECT_EQ(cudaMemset(address, 0, bytes), cudaSuccess);
  EXPECT_EQ(join(run(add_one, dim3(1), dim3(4), address).errors), "");
  int last = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&last, answers, sizeof last, 3 * sizeof last), cudaSuccess);
  EXPECT_EQ(last, 1);
}

TEST(RegisteredMemory, IsForKernelsUntilItIsUnregistered) {
  std::vector<int> words(32, 5);
  EXPECT_NE(join(run(add_one, dim3(1), dim3(32), words.data()).errors), "");
  static_cast<void>(cudaGetLastError());
  words.assign(32, 5);
  ASSERT_EQ(cudaHostRegister(words.data(), 128, cudaHostRegisterDefault), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(words.data(), 128, cudaHostRegisterDefault),
            cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryAlreadyRegistered);
  int* on_device = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&on_device, words.data(), 0), cudaSuccess);
  EXPECT_EQ(join(run(add_one, dim3(1), dim3(32), on_device).errors), "");
  EXPECT_EQ(words.back(), 6);
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, words.data()), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaFree(words.data()), cudaErrorInvalidValue) << "it is the program's";
  EXPECT_EQ(cudaHostUnregister(words.data()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(words.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, words.data()), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryNotRegistered);
}

// Blocks that look at what others add.
__global__ void add_up_to(int* sum, int most) {
  if (__nv_atomic_load_n(sum, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE) < most) {
    atomicAdd(sum, 1);
  }
}

TEST(AtomicLoads, AreLoadsThatNoAtomicRacesWith) {
  int* sum = nullptr;
  ASSERT_EQ(cudaMalloc(&sum, sizeof *sum), cudaSuccess);
  ASSERT_EQ(cudaMemset(sum, 0, sizeof *sum), cudaSuccess);
  const Observation seen = run(add_up_to, dim3(8), dim3(1), sum, 5);
  EXPECT_EQ(join(seen.errors), "");
  EXPECT_EQ(warpgauge::emulator::sum(seen, Access::global_load).requests, 8U);
  EXPECT_EQ(cudaFree(sum), cudaSuccess);
}

__global__ void of_complex_numbers(const cuDoubleComplex* in, cuDoubleComplex* out) {
  out[0] = cuCmul(in[0], in[1]);
  out[1] = cuCdiv(out[0], in[1]);
  out[2] = cuCfma(in[0], cuConj(in[0]), make_cuDoubleComplex(cuCabs(in[0]), 0));
}

TEST(ComplexNumbers, AreMultipliedAndDividedInKernels) {
  cuDoubleComplex* numbers = nullptr;
  ASSERT_EQ(cudaMallocManaged(&numbers, 5 * sizeof *numbers), cudaSuccess);
  numbers[0] = make_cuDoubleComplex(3, 4);
  numbers[1] = cuComplexFloatToDouble(cuCsubf(make_cuComplex(2, 1), make_cuComplex(0, 3)));
  EXPECT_EQ(join(run(of_complex_numbers, dim3(1), dim3(1), numbers, numbers + 2).errors), "");
  EXPECT_EQ(cuCreal(numbers[2]), 14);
  EXPECT_EQ(cuCimag(numbers[2]), 2);
  EXPECT_NEAR(cuCreal(numbers[3]), 3, 1e-15);
  EXPECT_NEAR(cuCimag(numbers[3]), 4, 1e-15);
  EXPECT_EQ(cuCreal(numbers[4]), 30);
  EXPECT_EQ(cuCimag(numbers[4]), 0);
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
}

}  // namespace
}  // namespace warpgauge::emulator
