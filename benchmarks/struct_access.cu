// SPDX-License-Identifier: Apache-2.0
#include "kernels/struct_access.cuh"

#include <cstddef>
#include <map>
#include <string>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

// A sum of k floats is off by at most k roundings of its largest partial sum.
constexpr Tolerance kTolerance{.relative = kStructRounds * 0x1p-24};

// Which field of the struct is accessed; known to the kernel at run time only.
constexpr int kField = 5;

// Size: threads.
class StructAccess : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<float>(n_ * floats_per_thread(), seed());
    out_ = DeviceBuffer<float>(in_.size());
  }

  Work work() const override {
    const double bytes = static_cast<double>(in_.size() * sizeof(float));
    return {.bytes_read = bytes,
            .bytes_written = bytes,
            .operations = static_cast<double>(in_.size() * kStructRounds)};
  }

  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return reference(i); }, kTolerance, coverage);
  }

  void poison_result() override { out_.poison(); }

  std::map<std::string, double> figures() override {
    const DeviceBuffer<StructCycles> cycles(1);
    const DeviceBuffer<float> sink(32);
    for (int warm_up = 0; warm_up < 3; ++warm_up) measure_cycles(cycles.data(), sink.data());
    const StructCycles measured = cycles.to_host()[0];
    return {
        {"cycles_a_round", static_cast<double>(measured.rounds - measured.clock) / kStructRounds}};
  }

 protected:
  [[nodiscard]] virtual std::size_t floats_per_thread() const { return 1; }
  [[nodiscard]] virtual double reference(std::size_t i) const { return element(i) + kStructRounds; }

  // One warp of the variant's accesses between two readings of the clock.
  virtual void measure_cycles(StructCycles* cycles, float* sink) = 0;

  [[nodiscard]] double element(std::size_t i) const { return random_element<float>(i, seed()); }
  [[nodiscard]] unsigned blocks() const {
    return static_cast<unsigned>(parts_of(n_, kStructBlock));
  }

  std::size_t n_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

template <class Struct>
class FieldAccess : public StructAccess {
 protected:
  void measure_cycles(StructCycles* cycles, float* sink) override {
    launch(struct_cycles<Struct>, 1, 32, cycles, sink, kField);
  }
  void update() {
    launch(struct_access<Struct>, blocks(), kStructBlock, in_.data(), out_.data(), n_, kField);
  }
};

template <class Struct>
class Field4Access : public StructAccess {
 protected:
  std::size_t floats_per_thread() const override { return 4; }
  void measure_cycles(StructCycles* cycles, float* sink) override {
    launch(struct_cycles4<Struct>, 1, 32, cycles, sink, kField);
  }
  void update() {
    launch(struct_access4<Struct>, blocks(), kStructBlock,
           reinterpret_cast<const float4*>(in_.data()), reinterpret_cast<float4*>(out_.data()), n_,
           kField);
  }
};

template <int Stride>
class StridedAccess : public StructAccess {
 protected:
  double reference(std::size_t i) const override {
    const std::size_t first = i / kStructBlock * kStructBlock + i % kStructBlock * Stride;
    double sum = 0;
    for (std::size_t j = first; j < first + kStructRounds && j < n_; ++j) sum += element(j);
    return sum;
  }
  void measure_cycles(StructCycles* cycles, float* sink) override {
    launch(strided_cycles<Stride>, 1, 32, cycles, sink);
  }
  void read() {
    launch(strided_access<Stride>, blocks(), kStructBlock, in_.data(), out_.data(), n_);
  }
};

VARIANT_OF(StructAccess, unpadded, FieldAccess<UnpaddedStruct>) { update(); }
VARIANT_OF(StructAccess, padded, FieldAccess<PaddedStruct>) { update(); }
VARIANT_OF(StructAccess, unpadded_float4, Field4Access<UnpaddedStruct4>) { update(); }
VARIANT_OF(StructAccess, padded_float4, Field4Access<PaddedStruct4>) { update(); }
VARIANT_OF(StructAccess, broadcast, StridedAccess<0>) { read(); }
VARIANT_OF(StructAccess, stride_1, StridedAccess<1>) { read(); }
VARIANT_OF(StructAccess, stride_2, StridedAccess<2>) { read(); }
VARIANT_OF(StructAccess, stride_32, StridedAccess<32>) { read(); }

SIZES(StructAccess, .emulated = {{1024}, {1000}}, .gpu = {{99999}, {1048576}}, .large = {{1048576}},
      .tested = {{0}, {1}, {31}, {32}, {33}, {127}, {128}, {129}, {1009}, {2048}},
      .huge = {{2147483659}})

}  // namespace
