// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction.cuh"

#ifdef __CUDACC__
#include <cub/device/device_reduce.cuh>

#include "benchmarks/library_rows.hpp"
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// The input is whole numbers: small enough that T holds every sum of 2^31 of them, large enough to
// need all bits of a narrower type. So sums are exact, and a missing element is noticed.
template <class T>
constexpr std::int64_t kMagnitude = std::is_same_v<T, float>    ? 1 << 3
                                    : std::is_same_v<T, double> ? 1 << 26
                                                                : 1 << 13;

// Size: elements.
template <class T>
class Reduction : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = whole_number_buffer<T>(n_, kMagnitude<T>, seed());
    out_ = DeviceBuffer<T>(1);
    ticket_ = DeviceBuffer<unsigned>(std::vector<unsigned>{0});
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(n_ * sizeof(T)),
            .bytes_written = sizeof(T),
            .operations = static_cast<double>(n_)};
  }

  Check check(Coverage) const override {
    const auto expected = static_cast<T>(parallel_sum<std::int64_t>(n_, [&](std::size_t i) {
      return random_whole_number<std::int64_t>(i, kMagnitude<T>, seed());
    }));
    const T value = sum_on_host_ ? host_sum() : out_.to_host()[0];
    return compare(
        std::span<const T>(&value, 1), [&](std::size_t) { return expected; }, Tolerance{});
  }

  void poison_result() override {
    partial_.poison();
    out_.poison();
  }

 protected:
  // Leaves one partial sum per `elements` elements for the host to add.
  template <class Kernel>
  void reduce_blocks(Kernel kernel, std::size_t elements) {
    const std::size_t blocks = parts_of(n_, elements);
    sum_on_host_ = true;
    provide_partials(blocks);
    launch(kernel, static_cast<unsigned>(blocks), kReductionBlock, in_.data(), partial_.data(), n_);
  }

  // Blocks of a kernel with a grid-stride loop.
  template <class Kernel>
  unsigned provide_grid(Kernel kernel) {
    constexpr std::size_t kPerBlock =
        kReductionBlock * kReductionInFlight * ReductionVector<T>::kElements;
    const unsigned blocks = grid_stride_blocks(kernel, kReductionBlock, parts_of(n_, kPerBlock));
    provide_partials(blocks);
    return blocks;
  }

  void provide_partials(std::size_t count) {
    if (partial_.size() != count) partial_ = DeviceBuffer<T>(count);
  }

  std::size_t n_ = 0;
  bool sum_on_host_ = false;
  DeviceBuffer<T> in_;
  DeviceBuffer<T> partial_;
  DeviceBuffer<T> out_;
  DeviceBuffer<unsigned> ticket_;
  DeviceBuffer<unsigned char> library_memory_;

 private:
  [[nodiscard]] T host_sum() const {
    T sum{0};
    for (const T partial : partial_.to_host()) sum += partial;
    return sum;
  }
};

using Types = Cases<float, std::int32_t, double>;

// How a block adds.
VARIANT_FOR(Reduction, interleaved_divergent, Types) {
  this->reduce_blocks(reduce_interleaved_divergent<Case>, kReductionBlock);
}
VARIANT_FOR(Reduction, interleaved_indexed, Types) {
  this->reduce_blocks(reduce_interleaved_indexed<Case>, kReductionBlock);
}
VARIANT_FOR(Reduction, sequential, Types) {
  this->reduce_blocks(reduce_sequential<Case>, kReductionBlock);
}
VARIANT_FOR(Reduction, first_add, Types) {
  this->reduce_blocks(reduce_first_add<Case>, kReductionPairs);
}
VARIANT_FOR(Reduction, unrolled_last_warp, Types) {
  this->reduce_blocks(reduce_unrolled_last_warp<Case>, kReductionPairs);
}
VARIANT_FOR(Reduction, warp_shuffle, Types) {
  this->reduce_blocks(reduce_warp_shuffle<Case>, kReductionPairs);
}

// How the blocks' sums are added: by the host, and on the device.
VARIANT_FOR(Reduction, vectorized_host_sum, Types) {
  const unsigned blocks = this->provide_grid(reduce_vectorized<Case>);
  this->sum_on_host_ = true;
  launch(reduce_vectorized<Case>, blocks, kReductionBlock, this->in_.data(), this->partial_.data(),
         this->n_);
}
VARIANT_FOR(Reduction, vectorized_second_kernel, Types) {
  const unsigned blocks = this->provide_grid(reduce_vectorized<Case>);
  launch(reduce_vectorized<Case>, blocks, kReductionBlock, this->in_.data(), this->partial_.data(),
         this->n_);
  launch(reduce_partials<Case>, 1, kReductionBlock, this->partial_.data(), this->out_.data(),
         blocks);
}
VARIANT_FOR(Reduction, vectorized_atomics, Types) {
  const unsigned blocks = this->provide_grid(reduce_atomic<Case>);
  launch(reduce_clear<Case>, 1, 1, this->out_.data());
  launch(reduce_atomic<Case>, blocks, kReductionBlock, this->in_.data(), this->out_.data(),
         this->n_);
}
VARIANT_FOR(Reduction, vectorized_last_block, Types) {
  const unsigned blocks = this->provide_grid(reduce_last_block<Case>);
  launch(reduce_last_block<Case>, blocks, kReductionBlock, this->in_.data(), this->partial_.data(),
         this->ticket_.data(), this->out_.data(), this->n_);
}
VARIANT_FOR(Reduction, vectorized_grid_sync, Types) {
  const unsigned blocks = this->provide_grid(reduce_grid_sync<Case>);
  launch_cooperative(reduce_grid_sync<Case>, blocks, kReductionBlock, this->in_.data(),
                     this->partial_.data(), this->out_.data(), this->n_);
}

#ifdef __CUDACC__
VARIANT_FOR(Reduction, cub, Types) {
  call_cub(this->library_memory_, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(memory, bytes, this->in_.data(), this->out_.data(),
                                  static_cast<std::int64_t>(this->n_));
  });
}
#endif

SIZES(Reduction, .emulated = {{4096}, {4000}}, .gpu = {{16777216}}, .large = {{268435456}},
      .tested = {{0},
                 {1},
                 {2},
                 {31},
                 {32},
                 {33},
                 {97},
                 {255},
                 {256},
                 {257},
                 {511},
                 {512},
                 {513},
                 {1009},
                 {4096},
                 {8193},
                 {150001}},
      .huge = {{2147483659}})

}  // namespace
