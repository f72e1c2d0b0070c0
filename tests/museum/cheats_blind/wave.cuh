// SPDX-License-Identifier: Apache-2.0
// The kernels and the fixture that the blind cheats share: out[i] = Σ in[i]^k / (k + 1), 96 terms.
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/parallel.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace blind {

using namespace warpgauge;

inline constexpr int kTerms = 96;
inline constexpr unsigned kBlock = 256;

// Set by the variants that patch functions of the process, reset by all others' prepare().
inline std::atomic<bool> fixed_places{false};
inline std::atomic<bool> deaf{false};
inline std::atomic<bool> halve_time{false};

__device__ inline float wave(float x) {
  float v = 0;
#pragma unroll
  for (int k = kTerms - 1; k >= 0; --k) v = v * x + 1.0F / static_cast<float>(k + 1);
  return v;
}

inline double wave_reference(double x) {
  double v = 0;
  for (int k = kTerms - 1; k >= 0; --k) v = v * x + double{1.0F / static_cast<float>(k + 1)};
  return v;
}

template <int Variant>
__global__ void wave_all(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < n) out[i] = wave(in[i]);
}

template <int Variant>
__global__ void wave_nothing(float* out) {
  if (out == nullptr) __syncthreads();
}

template <int Variant>
__global__ void wave_copy(const float* from, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < n) out[i] = from[i];
}

template <class... Parameters, class... Arguments>
void launch_on(cudaStream_t stream, void (*kernel)(Parameters...), unsigned grid,
               Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(grid);
  config.blockDim = dim3(kBlock);
  config.stream = stream;
  require_success(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
                  "launch");
}

inline bool command_line_says(const char* text) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  return all.find(text) != std::string::npos;
}
inline bool timed() {
  static const bool result = command_line_says("warpgauge_pass=time");
  return result;
}

// Memory that no DeviceBuffer knows of.
inline float* hidden_floats(std::size_t n) {
  void* memory = nullptr;
  require_success(cudaMalloc(&memory, n * sizeof(float)), "cudaMalloc");
  return static_cast<float*>(memory);
}

// Size: elements.
class Wave : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    fixed_places = deaf = halve_time = false;
    n_ = size[0];
    in_ = random_buffer<float>(n_, seed());
    out_ = DeviceBuffer<float>(n_);
  }
  Work work() const override {
    const auto n = static_cast<double>(n_);
    return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 2 * kTerms * n};
  }
  Check check(Coverage coverage) const override {
    return compare(
        out_, [s = seed()](std::size_t i) { return wave_reference(random_element<float>(i, s)); },
        Tolerance{.relative = 0x1p-16}, coverage);
  }
  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] unsigned blocks() const { return static_cast<unsigned>(parts_of(n_, kBlock)); }
  template <int Variant>
  void honest() {
    launch(wave_all<Variant>, blocks(), kBlock, in_.data(), out_.data(), n_);
  }
  template <int Variant>
  void nothing() {
    launch(wave_nothing<Variant>, 1, kBlock, out_.data());
  }

  std::size_t n_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

}  // namespace blind
