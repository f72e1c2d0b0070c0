// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram.cuh"

#ifdef __CUDACC__
#include <cub/device/device_histogram.cuh>

#include "benchmarks/library_rows.hpp"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

struct Uniform;
struct SingleBin;
template <>
inline constexpr const char* warpgauge::kCaseName<Uniform> = "uniform";
template <>
inline constexpr const char* warpgauge::kCaseName<SingleBin> = "single_bin";

namespace {

using namespace warpgauge;

constexpr std::uint8_t kSingleValue = 77;

// Size: bytes.
template <class Input>
class Histogram : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    bins_ = DeviceBuffer<unsigned>(kHistogramBins);
    if constexpr (kUniform) {
      in_ = random_buffer<std::uint8_t>(n_, seed());
    } else {
      in_ = DeviceBuffer<std::uint8_t>(n_);
      if (n_ > 0) require_success(cudaMemset(in_.data(), kSingleValue, n_), "cudaMemset");
    }
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(n_),
            .bytes_written = kHistogramBins * sizeof(unsigned),
            .operations = static_cast<double>(n_)};
  }

  // Exact: counts.
  Check check(Coverage coverage) const override {
    const auto expected = expected_counts();
    return compare(
        bins_, [&](std::size_t bin) { return expected[bin]; }, Tolerance{}, coverage);
  }

  void poison_result() override { bins_.poison(); }

 protected:
  // `bytes`: how many a thread has in flight.
  template <class Kernel>
  void count(Kernel kernel, std::size_t bytes) {
    launch(histogram_clear, 1, kHistogramBins, bins_.data());
    const unsigned blocks =
        grid_stride_blocks(kernel, kHistogramBlock, parts_of(n_, kHistogramBlock * bytes));
    launch(kernel, blocks, kHistogramBlock, in_.data(), bins_.data(), n_);
  }

  std::size_t n_ = 0;
  DeviceBuffer<std::uint8_t> in_;
  DeviceBuffer<unsigned> bins_;
  DeviceBuffer<unsigned char> library_memory_;

 private:
  static constexpr bool kUniform = std::is_same_v<Input, Uniform>;
  using Counts = std::array<unsigned, kHistogramBins>;

  [[nodiscard]] Counts expected_counts() const {
    Counts counts{};
    if constexpr (kUniform) {
      for (const Counts& part : map_parts(n_, [&](std::size_t begin, std::size_t end) {
             Counts own{};
             for (std::size_t i = begin; i < end; ++i) {
               ++own[random_element<std::uint8_t>(i, seed())];
             }
             return own;
           })) {
        for (std::size_t bin = 0; bin < kHistogramBins; ++bin) counts[bin] += part[bin];
      }
    } else {
      counts[kSingleValue] = static_cast<unsigned>(n_);
    }
    return counts;
  }
};

using Inputs = Cases<Uniform, SingleBin>;

VARIANT_FOR(Histogram, global_atomics, Inputs) { this->count(histogram_global_atomics, 1); }
VARIANT_FOR(Histogram, shared_atomics, Inputs) { this->count(histogram_shared_atomics, 1); }
VARIANT_FOR(Histogram, replicated, Inputs) { this->count(histogram_replicated, 1); }
VARIANT_FOR(Histogram, vectorized, Inputs) {
  this->count(histogram_vectorized, kHistogramInFlight * sizeof(uint4));
}

#ifdef __CUDACC__
VARIANT_FOR(Histogram, cub, Inputs) {
  call_cub(this->library_memory_, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(
        memory, bytes, this->in_.data(), this->bins_.data(), static_cast<int>(kHistogramBins) + 1,
        0, static_cast<int>(kHistogramBins), static_cast<std::int64_t>(this->n_));
  });
}
#endif

SIZES(Histogram, .emulated = {{4096}, {20000}}, .gpu = {{67108864}}, .large = {{1073741824}},
      .tested = {{0},
                 {1},
                 {15},
                 {16},
                 {17},
                 {31},
                 {32},
                 {33},
                 {255},
                 {256},
                 {257},
                 {1009},
                 {4097},
                 {8193},
                 {150001}},
      .huge = {{2147483659}})

}  // namespace
