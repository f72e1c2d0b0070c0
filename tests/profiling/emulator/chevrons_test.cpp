// SPDX-License-Identifier: Apache-2.0
// Launches by <<<>>>, as CUDA sources write them, run what nvcc would run.
#include <string>

#include "tests/profiling/emulator/observe.hpp"

// clang-format-14 takes <<<>>> for shifts where there is more than a name before it.
// clang-format off
namespace warpgauge::emulator {
namespace {

namespace kernels {

__global__ void plain(float* out, int n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(n)) out[i] += 1;
}

template <class T>
struct Box {};

template <class T>
__global__ void of_type(float* out) {
  out[threadIdx.x] += sizeof(T) > 0 ? 2.0F : 0.0F;
}

}  // namespace kernels

using kernels::of_type;
using kernels::plain;

template <int Factor, class T>
__global__ void deduced(T* out, const T* by) {
  const T first = by[0];
  __syncthreads();
  out[threadIdx.x] += Factor * first;
}

template <class T>
__global__ void with_default(T* out, T by = T{3}) {
  out[threadIdx.x] += by;
}

__global__ void overloaded(float* out) { out[threadIdx.x] += 5; }
__global__ void overloaded(float* out, int by) { out[threadIdx.x] += static_cast<float>(by); }

__global__ void dynamic(float* out) {
  extern __shared__ float __words[];  // NOLINT: a name as in NVIDIA's samples
  __words[threadIdx.x] = 1;
  out[threadIdx.x] += __words[threadIdx.x];
}

struct Pair {
  float first;
  float second;
};
__global__ void by_value(float* out, Pair pair) { out[threadIdx.x] += pair.first + pair.second; }

// NOLINTNEXTLINE: as users write them
#define LAUNCH(kernel, grid, block, ...)   \
  do {                                     \
    kernel<<<grid, block>>>(__VA_ARGS__);  \
  } while (0)

// What one launch adds to element 0 of 32 that are 0.
template <class Launch>
float added(const Launch& launch, float element = 0) {
  const DeviceBuffer<float> out(std::vector<float>(32, element));
  const Observation observation = observe([&] { launch(out.data()); });
  EXPECT_EQ(join(observation.errors), "");
  return out.to_host()[0] - element;
}

TEST(Chevrons, LaunchOneFunction) {
  EXPECT_EQ(added([](float* out) { plain<<<1, 32>>>(out, 32); }), 1);
  EXPECT_EQ(added([](float* out) { kernels::plain<<<dim3(1), dim3(32, 1), 0, nullptr>>>(out, 32); }), 1);
  EXPECT_EQ(added([](float* out) {
              plain<<<1,
                      32,
                      0,
                      0>>>
                  (out,
                   32);
            }), 1);
  EXPECT_EQ(added([](float* out) { LAUNCH(plain, 1, 32, out, 32); }), 1);
  EXPECT_EQ(added([](float* out) { dynamic<<<1, 32, 32 * sizeof(float)>>>(out); }), 1);
  EXPECT_EQ(added([](float* out) { by_value<<<1, 32>>>(out, {1, 2}); }), 3);
}

TEST(Chevrons, LaunchTemplates) {
  EXPECT_EQ(added([](float* out) { of_type<kernels::Box<kernels::Box<int>>><<<1, 32>>>(out); }), 2);
  EXPECT_EQ(added([](float* out) { deduced<3><<<1, 32>>>(out, out); }, 4), 12);
  EXPECT_EQ(added([](float* out) { with_default<<<1, 32>>>(out, 4.0F); }), 4);
  const auto dependent = []<class T>(T* out) { with_default<T><<<1, 32>>>(out, T(6)); };
  EXPECT_EQ(added([&](float* out) { dependent(out); }), 6);
}

TEST(Chevrons, LaunchByTheCallWhatIsNoOneFunction) {
  EXPECT_EQ(added([](float* out) { with_default<float><<<1, 32>>>(out); }), 3);
  EXPECT_EQ(added([](float* out) { overloaded<<<1, 32>>>(out); }), 5);
  EXPECT_EQ(added([](float* out) { overloaded<<<1, 32>>>(out, 7); }), 7);
}

TEST(Chevrons, LaunchByPointers) {
  struct Holder {
    void (*kernel)(float*, int);
  };
  void (*const pointer)(float*, int) = plain;
  const Holder holder{plain};
  const Holder* const to_holder = &holder;
  void (*const all[])(float*, int) = {plain, plain};
  EXPECT_EQ(added([&](float* out) { pointer<<<1, 32>>>(out, 32); }), 1);
  EXPECT_EQ(added([&](float* out) { (*pointer)<<<1, 32>>>(out, 32); }), 1);
  EXPECT_EQ(added([&](float* out) { all[1]<<<1, 32>>>(out, 32); }), 1);
  EXPECT_EQ(added([&](float* out) { holder.kernel<<<1, 32>>>(out, 32); }), 1);
  EXPECT_EQ(added([&](float* out) { to_holder->kernel<<<1, 32>>>(out, 32); }), 1);
}

TEST(Chevrons, EvaluateArgumentsOnceAndConvertThemAsACall) {
  int evaluated = 0;
  EXPECT_EQ(added([&](float* out) { plain<<<1, 32>>>(out, (++evaluated, 32L)); }), 1);
  EXPECT_EQ(added([&](float* out) { deduced<1><<<1, 32>>>(out, (++evaluated, out)); }, 2), 2);
  EXPECT_EQ(evaluated, 2);
}

TEST(Chevrons, LeaveErrorsToCudaGetLastError) {
  EXPECT_EQ(added([](float* out) {
              plain<<<1, 2048>>>(out, 32);
              EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
            }), 0);
}

TEST(Chevrons, CountAccessesAtTheirLines) {
  const DeviceBuffer<float> out(std::vector<float>(32));
  const Observation by_function = observe([&] { plain<<<1, 32>>>(out.data(), 32); });
  EXPECT_EQ(sum(by_function, Access::global_load), (Sums{1, 4, 4}));
  EXPECT_EQ(by_function.lines.at(0).line, 16);
  EXPECT_EQ(by_function.lines.at(0).function, "plain");
  // Arguments and what the launch does with them are none of the kernel's.
  const Observation by_call = observe([&] { deduced<3><<<1, 32>>>(out.data(), out.data()); });
  EXPECT_EQ(sum(by_call, Access::global_load).requests, 2U);
  EXPECT_EQ(by_call.lines.at(0).function, "deduced<3, float>");
}

TEST(Chevrons, NameTheKernelInErrors) {
  const DeviceBuffer<float> out(std::vector<float>(32));
  const Observation by_call =
      observe([&] { deduced<3><<<1, 64>>>(out.data(), static_cast<const float*>(out.data())); });
  EXPECT_NE(join(by_call.errors).find("kernel deduced<3>, block"), std::string::npos)
      << join(by_call.errors);
}

}  // namespace
}  // namespace warpgauge::emulator
