// SPDX-License-Identifier: Apache-2.0
#include "kernels/bandwidth.cuh"

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace {

using namespace warpgauge;

constexpr float kFactor = 0.5F;

// Size: vectors of four floats.
class Bandwidth : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    vectors_ = size[0];
    in_ = random_buffer<float>(4 * vectors_, seed());
    out_ = DeviceBuffer<float>(4 * vectors_);
  }

  Work work() const override { return {.bytes_read = bytes(), .bytes_written = bytes()}; }

  // Exact: elements are moved, not computed.
  Check check(Coverage coverage) const override {
    return compare(
        out_, [&](std::size_t i) { return element(i); }, Tolerance{}, coverage);
  }

  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] double bytes() const { return static_cast<double>(vectors_ * sizeof(float4)); }
  [[nodiscard]] float element(std::size_t i) const { return random_element<float>(i, seed()); }
  [[nodiscard]] const float4* in() const { return reinterpret_cast<const float4*>(in_.data()); }
  [[nodiscard]] float4* out() const { return reinterpret_cast<float4*>(out_.data()); }
  [[nodiscard]] unsigned blocks() const {
    return static_cast<unsigned>(parts_of(vectors_, kBandwidthBlock));
  }

  std::size_t vectors_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

class WriteBandwidth : public Bandwidth {
 public:
  void prepare(const Sizes& size) override {
    vectors_ = size[0];
    out_ = DeviceBuffer<float>(4 * vectors_);
  }
  Work work() const override { return {.bytes_written = bytes()}; }
  Check check(Coverage coverage) const override {
    return compare(
        out_, [](std::size_t i) { return static_cast<float>(i % 4); }, Tolerance{}, coverage);
  }
};

class ReadBandwidth : public Bandwidth {
 public:
  void prepare(const Sizes& size) override {
    vectors_ = size[0];
    words_ = random_buffer<unsigned>(4 * vectors_, seed());
    word_of_block_ = DeviceBuffer<unsigned>(parts_of(vectors_, kBandwidthOneWayTile));
  }
  Work work() const override { return {.bytes_read = bytes()}; }
  Check check(Coverage coverage) const override {
    return compare(
        word_of_block_,
        [&](std::size_t block) {
          unsigned word = 0;
          for (std::size_t i = block * kBandwidthOneWayTile * 4;
               i < (block + 1) * kBandwidthOneWayTile * 4 && i < 4 * vectors_; ++i) {
            word ^= random_element<unsigned>(i, seed());
          }
          return word;
        },
        Tolerance{}, coverage);
  }
  void poison_result() override { word_of_block_.poison(); }

 protected:
  DeviceBuffer<unsigned> words_;
  DeviceBuffer<unsigned> word_of_block_;
};

class TriadBandwidth : public Bandwidth {
 public:
  void prepare(const Sizes& size) override {
    Bandwidth::prepare(size);
    other_ = random_buffer<float>(4 * vectors_, seed() + 1);
  }
  Work work() const override {
    return {.bytes_read = 2 * bytes(),
            .bytes_written = bytes(),
            .operations = static_cast<double>(8 * vectors_)};
  }
  // Multiplication by a power of two is exact; the addition rounds once.
  Check check(Coverage coverage) const override {
    return compare(
        out_,
        [&](std::size_t i) {
          return element(i) + double{kFactor} * random_element<float>(i, seed() + 1);
        },
        Tolerance{.relative = 0x1p-24}, coverage);
  }

 protected:
  DeviceBuffer<float> other_;
};

VARIANT_OF(Bandwidth, read, ReadBandwidth) {
  launch(bandwidth_read, static_cast<unsigned>(word_of_block_.size()), kBandwidthOneWayBlock,
         reinterpret_cast<const uint4*>(words_.data()), word_of_block_.data(), vectors_);
}
VARIANT_OF(Bandwidth, write, WriteBandwidth) {
  launch(bandwidth_write, static_cast<unsigned>(parts_of(vectors_, kBandwidthOneWayTile)),
         kBandwidthOneWayBlock, make_float4(0, 1, 2, 3), out(), vectors_);
}
VARIANT(Bandwidth, copy) {
  launch(bandwidth_copy, blocks(), kBandwidthBlock, in(), out(), vectors_);
}
VARIANT_OF(Bandwidth, triad, TriadBandwidth) {
  launch(bandwidth_triad, blocks(), kBandwidthBlock, in(),
         reinterpret_cast<const float4*>(other_.data()), kFactor, out(), vectors_);
}

SIZES(Bandwidth, .emulated = {{4096}}, .gpu = {{16777216}}, .large = {{67108864}, {268435456}},
      .tested = {{0}, {1}, {31}, {33}, {2047}, {2048}, {2049}, {10007}}, .huge = {{536870923}})

}  // namespace
