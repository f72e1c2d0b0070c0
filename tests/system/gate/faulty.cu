// SPDX-License-Identifier: Apache-2.0
// Four benchmarks that fail, each in its own way, before, between and after three sound ones: what
// a run makes of them is tested on the emulator and tried by hand on a GPU.
#include <cuda_runtime.h>

#include <cstddef>
#include <stdexcept>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

inline constexpr unsigned kFaultyBlock = 256;

__global__ void faulty_none(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kFaultyBlock + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// Waits for a change that nobody makes. Every look is a volatile read, which no compiler removes.
__global__ void faulty_endless(const volatile int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kFaultyBlock + threadIdx.x;
  if (i >= n) return;
  const int before = in[i];
  while (in[i] == before) continue;
  out[i] = before;
}

// Four tebibytes beyond the result: no GPU has memory there.
__global__ void faulty_far_beyond(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kFaultyBlock + threadIdx.x;
  if (i < n) out[i + (std::size_t{1} << 40)] = in[i];
}

__global__ void faulty_last_bit(const int* in, int* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kFaultyBlock + threadIdx.x;
  if (i < n) out[i] = in[i] ^ 1;
}

namespace {

using namespace warpgauge;

// Size: elements.
class Faulty : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    in_ = random_buffer<int>(size[0], seed());
    out_ = DeviceBuffer<int>(size[0]);
  }

  Work work() const override {
    const double bytes = static_cast<double>(in_.size() * sizeof(int));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return random_element<int>(i, seed()); }, Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel>
  void copy(Kernel kernel) {
    launch(kernel, static_cast<unsigned>(parts_of(in_.size(), kFaultyBlock)), kFaultyBlock,
           in_.data(), out_.data(), in_.size());
  }

 private:
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

VARIANT(Faulty, sound_before) { copy(faulty_none); }
VARIANT(Faulty, hangs) { copy(faulty_endless); }
VARIANT(Faulty, out_of_bounds) { copy(faulty_far_beyond); }
VARIANT(Faulty, sound_between) { copy(faulty_none); }
VARIANT(Faulty, wrong) { copy(faulty_last_bit); }
VARIANT(Faulty, throws) { throw std::runtime_error("no launch today"); }
VARIANT(Faulty, sound_after) { copy(faulty_none); }

SIZES(Faulty, .emulated = {{4096}}, .gpu = {{16777216}})

}  // namespace
