// SPDX-License-Identifier: Apache-2.0
#include "kernels/reverse.cuh"

#include <algorithm>
#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// The index of element i after each segment of n elements is reversed.
std::size_t mirror_in_segment(std::size_t i, std::size_t n) {
  const std::size_t first = i / kReverseBlock * kReverseBlock;
  return first + (std::min<std::size_t>(kReverseBlock, n - first) - 1 - (i - first));
}

// Size: elements. All exact: elements are moved, not computed.
class Reverse : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<int>(n_, seed());
    out_ = DeviceBuffer<int>(n_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(n_ * sizeof(int));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return random_element<int>(mirror(i), seed()); }, Tolerance{},
        coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] virtual std::size_t mirror(std::size_t i) const { return mirror_in_segment(i, n_); }

  template <class Kernel>
  void reverse(Kernel kernel, std::size_t elements_per_block = kReverseBlock,
               std::size_t dynamic_shared_bytes = 0) {
    launch_with_shared(kernel, static_cast<unsigned>(parts_of(n_, elements_per_block)),
                       kReverseBlock, dynamic_shared_bytes, in_.data(), out_.data(), n_);
  }

  std::size_t n_ = 0;
  DeviceBuffer<int> in_;
  DeviceBuffer<int> out_;
};

class WholeReverse : public Reverse {
  std::size_t mirror(std::size_t i) const override { return n_ - 1 - i; }
};

class ThreeArrays : public Reverse {
 public:
  void prepare(const Sizes& size) override {
    Reverse::prepare(size);
    doubles_in_ = random_buffer<double>(n_, seed() + 1);
    doubles_out_ = DeviceBuffer<double>(n_);
    chars_in_ = random_buffer<char>(n_, seed() + 2);
    chars_out_ = DeviceBuffer<char>(n_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(reverse_three_arrays_bytes(n_));
    return {.bytes_read = bytes, .bytes_written = bytes};
  }

  Check check(Coverage coverage) const override {
    Check check = Reverse::check(coverage);
    check.add(compare(
        doubles_out_, [&](std::size_t i) { return random_element<double>(mirror(i), seed() + 1); },
        Tolerance{}, coverage));
    check.add(compare(
        chars_out_, [&](std::size_t i) { return random_element<char>(mirror(i), seed() + 2); },
        Tolerance{}, coverage));
    return check;
  }

  void poison_result() override {
    Reverse::poison_result();
    doubles_out_.poison();
    chars_out_.poison();
  }

 protected:
  DeviceBuffer<double> doubles_in_;
  DeviceBuffer<double> doubles_out_;
  DeviceBuffer<char> chars_in_;
  DeviceBuffer<char> chars_out_;
};

VARIANT(Reverse, static_shared) { reverse(reverse_static_shared); }
VARIANT(Reverse, dynamic_shared) {
  reverse(reverse_dynamic_shared, kReverseBlock, kReverseBlock * sizeof(int));
}
VARIANT_OF(Reverse, three_arrays, ThreeArrays) {
  launch_with_shared(reverse_three_arrays, static_cast<unsigned>(parts_of(n_, kReverseBlock)),
                     kReverseBlock, reverse_three_arrays_bytes(kReverseBlock), doubles_in_.data(),
                     in_.data(), chars_in_.data(), doubles_out_.data(), out_.data(),
                     chars_out_.data(), n_);
}
VARIANT_OF(Reverse, grid_wide, WholeReverse) { reverse(reverse_grid_wide); }
VARIANT_OF(Reverse, vectorized, WholeReverse) { reverse(reverse_vectorized, kReverseTile); }

SIZES(Reverse, .emulated = {{4096}, {5003}}, .gpu = {{16777216}}, .large = {{268435456}},
      .tested = {{0},
                 {1},
                 {2},
                 {3},
                 {4},
                 {5},
                 {31},
                 {32},
                 {33},
                 {255},
                 {256},
                 {257},
                 {1009},
                 {4095},
                 {4096},
                 {4097},
                 {4100},
                 {8194},
                 {20011}},
      .huge = {{2147483659}, {2147483660}})

}  // namespace
