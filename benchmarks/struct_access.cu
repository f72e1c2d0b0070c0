// SPDX-License-Identifier: Apache-2.0
#include "kernels/struct_access.cuh"

#include <cstddef>
#include <limits>
#include <vector>

#include "profiling/device_buffer.hpp"
#include "profiling/fixture.hpp"
#include "profiling/random_input.hpp"

namespace {

using namespace warpgauge;

// A sum of k floats is off by at most k roundings of its largest partial sum.
constexpr Tolerance kTolerance{.relative = kStructRounds * 0x1p-24};

// Size: elements, one a thread.
class StructAccess : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    host_in_ = random_values(n_);
    in_ = DeviceBuffer<float>(host_in_);
    out_ = DeviceBuffer<float>(n_);
  }

  Work work() const override {
    const double bytes = static_cast<double>(n_ * sizeof(float));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .operations = static_cast<double>(n_ * kStructRounds)};
  }

  Check check() const override {
    return compare<float>(
        out_.to_host(), [&](std::size_t i) { return reference(i); }, kTolerance);
  }

 protected:
  virtual double reference(std::size_t i) const { return double{host_in_[i]} + kStructRounds; }

  unsigned blocks() const { return static_cast<unsigned>((n_ + kStructBlock - 1) / kStructBlock); }

  template <class Struct>
  void update_field() {
    constexpr int kField = 5;
    launch(struct_access<Struct>, blocks(), kStructBlock, in_.data(), out_.data(), n_, kField);
  }

  std::size_t n_ = 0;
  std::vector<float> host_in_;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

template <int Stride>
class StridedAccess : public StructAccess {
 protected:
  double reference(std::size_t i) const override {
    const std::size_t first = i / kStructBlock * kStructBlock + i % kStructBlock * Stride;
    double sum = 0;
    for (std::size_t j = first; j < first + kStructRounds && j < n_; ++j) sum += host_in_[j];
    return sum;
  }

  void read_words() {
    launch(strided_access<Stride>, blocks(), kStructBlock, in_.data(), out_.data(), n_);
  }
};

VARIANT(StructAccess, unpadded) { update_field<UnpaddedStruct>(); }
VARIANT(StructAccess, padded) { update_field<PaddedStruct>(); }
VARIANT_OF(StructAccess, broadcast, StridedAccess<0>) { read_words(); }
VARIANT_OF(StructAccess, stride_1, StridedAccess<1>) { read_words(); }
VARIANT_OF(StructAccess, stride_2, StridedAccess<2>) { read_words(); }
VARIANT_OF(StructAccess, stride_32, StridedAccess<32>) { read_words(); }

SIZES(StructAccess, .emulated = {{1024}, {1000}}, .gpu = {{99999}, {1048576}})

}  // namespace
